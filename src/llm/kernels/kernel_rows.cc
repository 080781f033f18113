#include "llm/kernels/kernel_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/numbers.h"

namespace orrery::llm {
namespace {

struct SizeColumn {
  std::string_view name;
  double KernelSizes::*size;
};
using S = KernelSizes;
constexpr std::array kSizeColumns = {
    SizeColumn{"m", &S::m},
    SizeColumn{"n", &S::n},
    SizeColumn{"k", &S::k},
    SizeColumn{"batch", &S::batch},
    SizeColumn{"heads", &S::heads},
    SizeColumn{"kv_heads", &S::kv_heads},
    SizeColumn{"seq", &S::seq},
    SizeColumn{"dim", &S::dim},
    SizeColumn{"v_dim", &S::v_dim},
    SizeColumn{"hidden", &S::hidden},
    SizeColumn{"experts", &S::experts},
    SizeColumn{"top_k", &S::top_k},
    SizeColumn{"vocab", &S::vocab},
};

std::optional<machine::DataType> type_called(std::string_view name) {
  const auto& names = machine::kDataTypeNames;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<machine::DataType>(found - names.begin());
}

/// Empty where the table has no such column.
std::string_view cell(const CsvTable& table, std::size_t row, std::string_view column) {
  const auto at = table.find(column);
  return at ? std::string_view(table.rows[row][*at]) : std::string_view();
}

Status take_words(const CsvTable& table, std::size_t row, KernelSizes& sizes) {
  if (const auto type = cell(table, row, "dtype"); !type.empty()) sizes.type = type_called(type);
  if (const auto causal = cell(table, row, "causal"); !causal.empty()) {
    const bool yes = causal == "1" || causal == "true" || causal == "yes";
    if (!yes && causal != "0" && causal != "false" && causal != "no")
      return table.error_at(row, "causal", fmt::format("'{}' is neither yes nor no", causal),
                            "1 or 0, or nothing for 1");
    sizes.causal = yes;
  }
  if (const auto run = cell(table, row, "run"); !run.empty()) {
    if (run != "alone" && run != "step")
      return table.error_at(row, "run", fmt::format("'{}' is no way to run a kernel", run),
                            "alone or step, or nothing for alone");
    sizes.run = run == "step" ? KernelRun::step : KernelRun::alone;
  }
  return {};
}

Result<KernelSizes> sizes_of(const CsvTable& table, std::size_t row) {
  KernelSizes sizes;
  if (auto taken = take_words(table, row, sizes); !taken) return taken.error();
  for (const SizeColumn& column : kSizeColumns) {
    const std::string_view text = cell(table, row, column.name);
    if (text.empty()) continue;
    // Whole numbers from 1 on: anything else is a mistake of the table.
    const std::int64_t number = parse_number<std::int64_t>(text).value_or(0);
    if (number < 1)
      return table.error_at(row, column.name, fmt::format("'{}' is no size", text),
                            "a whole number of at least 1, or nothing");
    sizes.*column.size = static_cast<double>(number);
  }
  return sizes;
}

std::optional<double> measured(const CsvTable& table, std::size_t row) {
  const auto number = parse_number<double>(cell(table, row, "us"));
  // No kernel takes no time: 0 is a cell that nobody filled in.
  return number && *number > 0 ? number : std::nullopt;
}

}  // namespace

Result<std::vector<KernelRow>> kernel_rows(const CsvTable& table) {
  const auto kind = table.find("kind");
  if (!kind)
    return Error{"line 1: there is no column 'kind'", table.file, Error::kNoOffset, "docs/LLM.md lists the columns"};
  std::vector<KernelRow> rows;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto sizes = sizes_of(table, row);
    if (!sizes) return sizes.error();
    rows.push_back({.kind = table.rows[row][*kind],
                    .sizes = *sizes,
                    .measured_us = measured(table, row),
                    .place = fmt::format("{}: line {}", table.file, table.lines[row])});
  }
  return rows;
}

std::string shape_key(const KernelRow& row) {
  // Widths are fixed so that keys sort by size: neighbours in the order are neighbours in shape.
  std::string key = fmt::format("{} {} {}", row.kind, static_cast<int>(row.sizes.run),
                                row.sizes.type ? static_cast<int>(*row.sizes.type) : -1);
  for (const SizeColumn& column : kSizeColumns) key += fmt::format(" {:020.0f}", row.sizes.*column.size);
  return key + (row.sizes.causal ? "" : " full");
}

}  // namespace orrery::llm
