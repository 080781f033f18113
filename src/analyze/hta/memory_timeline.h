// MemoryAnalysis: what fills the device's memory, from a timeline that PyTorch's memory profiler exports.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "report/sheet.h"

namespace orrery::analyze::hta {

/// As PyTorch numbers them.
inline constexpr std::array<std::string_view, 8> kMemoryCategories = {
    "Parameter", "Optimizer state", "Input", "Temporary", "Activation", "Gradient", "Autograd", "Unknown"};

/// Bytes that are added to a category at a time, or taken from it.
struct MemoryChange {
  std::int64_t time_ns;
  std::int64_t bytes;
  std::uint8_t category;  ///< below kMemoryCategories.size()
};

struct MemoryTimeline {
  std::size_t points = 0;  ///< entries of one time in a row are one
  std::int64_t first_ns = 0, last_ns = 0, least_ns = 0;
  std::int64_t peak_bytes = 0;
  std::array<std::int64_t, kMemoryCategories.size()> peak{}, final{};
};

/// `changes` not empty. What was there before the recording has a negative time, and gets the least one of those that
/// are not.
MemoryTimeline summarize_memory(std::span<const MemoryChange> changes);

/// A row per category.
report::Sheet memory_categories_sheet(const MemoryTimeline& timeline);

}  // namespace orrery::analyze::hta
