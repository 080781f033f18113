// Values of the model as it was fitted, in another language: a change of any of them is a change of the model, and must
// be meant.
#include <doctest/doctest.h>

#include "llm/backtest/backtest.h"
#include "llm/kernels/kernel_benchmark.h"
#include "llm/shipped.h"
#include "machine/device/kernel_gemm.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

CsvTable expected(const std::string& name) {
  auto table = read_csv(std::string(ORRERY_SOURCE_DIR) + "/tests/llm/data/" + name);
  REQUIRE_MESSAGE(table.ok(), (table ? "" : table.error().to_string()));
  return std::move(*table);
}

}  // namespace

TEST_CASE("matrix products on four devices, warm and cold") {
  const CsvTable table = expected("gemm.csv");
  CHECK(table.rows.size() == 72);
  for (const std::vector<std::string>& row : table.rows) {
    const machine::Device& device = shipped_device(row[0]);
    const machine::GemmShape shape{
        .m = std::stod(row[1]), .n = std::stod(row[2]), .k = std::stod(row[3]), .batch = std::stod(row[4])};
    const double seconds =
        machine::gemm_seconds(device, shape, {.floor_s = std::stod(row[6]), .cold_cache = row[5] == "1"});
    CHECK_MESSAGE(alike(seconds, std::stod(row[7])), row[0] << " " << row[1] << "x" << row[2] << "x" << row[3]);
  }
}

TEST_CASE("kernels as a benchmark times them") {
  const CsvTable table = expected("kernels.csv");
  Diagnostics diagnostics;
  const auto prices = price_kernels(table, shipped_kernel_device("h200"), diagnostics);
  REQUIRE(prices);
  CHECK(diagnostics.empty());
  REQUIRE(prices->size() == 210);
  for (std::size_t row = 0; row < prices->size(); ++row) {
    REQUIRE((*prices)[row].us);
    CHECK_MESSAGE(alike(*(*prices)[row].us, std::stod(table.rows[row].back())),
                  "row " << row << ": " << (*prices)[row].kind);
  }
}

TEST_CASE("rows of every published data set") {
  const CsvTable table = expected("backtest.csv");
  Diagnostics diagnostics;
  const auto rows = backtest_rows(table, diagnostics);
  REQUIRE(rows);
  const std::vector<Prediction> predictions = predict(shipped(), *rows, diagnostics);
  REQUIRE(predictions.size() == table.rows.size());
  std::size_t predicted = 0;
  for (std::size_t row = 0; row < predictions.size(); ++row) {
    const Prediction& one = predictions[row];
    const auto cell = [&](std::string_view column) -> const std::string& {
      return table.rows[row][*table.find(column)];
    };
    const std::string& value = cell("expected");
    REQUIRE_MESSAGE(one.value.has_value() == !value.empty(), cell("id"));
    if (one.value) CHECK_MESSAGE(alike(*one.value, std::stod(value)), cell("id"));
    if (one.value) ++predicted;
    CHECK_MESSAGE(one.out_of_memory == (cell("expected_oom") == "1"), cell("id"));
    REQUIRE_MESSAGE(one.peak_bytes.has_value() == !cell("expected_peak_gib").empty(), cell("id"));
    if (one.peak_bytes)
      CHECK_MESSAGE(alike(*one.peak_bytes / 0x1p30, std::stod(cell("expected_peak_gib"))), cell("id"));
  }
  CHECK(predicted > 150);
}
