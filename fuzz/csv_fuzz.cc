// Feeds arbitrary bytes to the reader of comma-separated tables and, where it is one of measurements, to the models
// behind it.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/io/csv.h"
#include "job/shipped/shipped_catalog.h"
#include "llm/backtest/backtest.h"
#include "llm/kernels/kernel_benchmark.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto require = [](bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what.c_str());
    std::abort();
  };
  static const auto catalog = orrery::job::read_shipped_catalog();
  const auto table = orrery::parse_csv({reinterpret_cast<const char*>(data), size}, "fuzz.csv");
  if (!table) {
    require(table.error().file == "fuzz.csv" && !table.error().message.empty(), "an error without its file");
    return 0;
  }
  for (const auto& row : table->rows) require(row.size() == table->columns.size(), "a ragged row was let through");
  if (!catalog) return 0;  // run from elsewhere
  orrery::Diagnostics diagnostics;
  static const auto device = orrery::llm::kernel_device(catalog->devices, *orrery::llm::find_device(*catalog, "H200"));
  const auto prices = orrery::llm::price_kernels(*table, device, diagnostics);
  if (prices) require(prices->size() == table->rows.size(), "a kernel without its row");
  const auto rows = orrery::llm::backtest_rows(*table, diagnostics);
  if (rows)
    require(orrery::llm::predict(*catalog, *rows, diagnostics).size() == table->rows.size(),
            "a prediction without its row");
  return 0;
}
