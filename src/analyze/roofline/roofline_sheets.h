// The answers of `roofline` as Sheets.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "analyze/roofline/priced_works.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// One rank and what its works are worth.
struct RooflineRank {
  const DeviceRank* devices = nullptr;
  std::unique_ptr<WorkOrigins> origins;
  PricedWorks priced;
  TimePs kernel_time = 0;  ///< of all works that belong to the window
  TimePs priced_time = 0;  ///< of those with a roof
};
std::vector<RooflineRank> hold_against_roof(const std::vector<DeviceRank>& ranks, const machine::Device& device);

enum class RooflineOrder : std::uint8_t { time, lost, share };

/// A row per operator, shapes and types: the `top` by `order` (0: all). FLOPs and bytes are those of one call; lost
/// time is what was measured beyond the roof.
report::Sheet operators_sheet(const std::vector<RooflineRank>& ranks, RooflineOrder order, std::size_t top);
/// A row per kind of operator, with sums; what has no price is the last.
report::Sheet kinds_sheet(const std::vector<RooflineRank>& ranks);

}  // namespace orrery::analyze
