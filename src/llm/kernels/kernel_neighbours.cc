#include "llm/kernels/kernel_neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/numbers.h"

namespace orrery::llm {
namespace {

constexpr std::string_view kBeside = "beside", kBlocks = "beside_blocks", kRate = "beside_gb_per_s";

/// What may run beside a kernel, and what has to be known of it.
struct NeighbourKind {
  std::string_view name;
  bool has_blocks;
  bool moves;
};
constexpr std::array kNeighbours = {NeighbourKind{"move", true, true}, NeighbourKind{"spin", true, false},
                                    NeighbourKind{"copy_h2d", false, true}};

std::string_view text_in(const CsvTable& table, std::size_t row, std::string_view column) {
  const auto at = table.find(column);
  return at ? std::string_view(table.rows[row][*at]) : std::string_view();
}

/// Nothing where the cell is empty.
Result<std::optional<double>> number_in(const CsvTable& table, std::size_t row, std::string_view column) {
  const std::string_view text = text_in(table, row, column);
  if (text.empty()) return std::optional<double>();
  const auto number = parse_number<double>(text);
  if (!number || !std::isfinite(*number) || *number < 0)
    return table.error_at(row, column, fmt::format("'{}' is neither 0 nor a positive number", text));
  return number;
}

Status lacks(const CsvTable& table, std::size_t row, std::string_view column, std::string_view what) {
  return table.error_at(row, column, fmt::format("{} runs beside the kernel, and {} is not said", what, column),
                        "move needs both, spin needs blocks, copy_h2d the rate");
}

}  // namespace

Result<machine::Neighbour> neighbour_of(const CsvTable& table, std::size_t row) {
  const std::string_view what = text_in(table, row, kBeside);
  const auto blocks = number_in(table, row, kBlocks);
  if (!blocks) return blocks.error();
  const auto rate = number_in(table, row, kRate);
  if (!rate) return rate.error();
  if (what.empty()) {
    if (!*blocks && !*rate) return machine::Neighbour{};
    return table.error_at(row, kBeside, "it is not said what runs beside the kernel", "move, spin or copy_h2d");
  }
  const auto kind = std::find_if(kNeighbours.begin(), kNeighbours.end(),
                                 [what](const NeighbourKind& one) { return one.name == what; });
  if (kind == kNeighbours.end())
    return table.error_at(row, kBeside, fmt::format("'{}' is nothing that can run beside a kernel", what),
                          "move, spin or copy_h2d, or nothing");
  if (kind->has_blocks && blocks->value_or(0) == 0) return lacks(table, row, kBlocks, what).error();
  if (kind->moves && !*rate) return lacks(table, row, kRate, what).error();
  return machine::Neighbour{.units = kind->has_blocks ? **blocks : 0, .gb_per_s = kind->moves ? **rate : 0};
}

}  // namespace orrery::llm
