#include "analyze/memory/block_rules.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace orrery::analyze {
namespace {

using memory_snapshot::AllocatorSettings;

constexpr std::int64_t kGranule = 512;
constexpr int kFirstInterval = 20;  // 2^20 bytes: smaller sizes are rounded as those are

std::int64_t divisions_for(const AllocatorSettings& settings, std::int64_t size) {
  const auto power = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size))) - 1;
  const int last = static_cast<int>(settings.roundup_divisions.size()) - 1;
  return settings.roundup_divisions[static_cast<std::size_t>(std::clamp(power - kFirstInterval, 0, last))];
}

std::int64_t rounded_to(std::int64_t size, std::int64_t step) { return (size + step - 1) / step * step; }

}  // namespace

std::int64_t rounded_block(const AllocatorSettings& settings, std::int64_t requested) {
  if (requested < kGranule) return kGranule;
  const std::int64_t divisions = divisions_for(settings, requested);
  if (divisions <= 1 || requested / kGranule < divisions || requested == kGranule * divisions)
    return rounded_to(requested, kGranule);
  // Numbers of divisions are powers of two; of another one the allocator takes the power below.
  const auto floor = [](std::int64_t value) {
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(value)));
  };
  return rounded_to(requested, floor(requested) / floor(divisions));
}

bool splits_off(const AllocatorSettings& settings, std::int64_t size, std::int64_t rest) {
  if (size <= kMostOfSmallBlock || settings.expandable_segments) return rest >= kGranule;
  return size < settings.max_split_size && rest > kMostOfSmallBlock;
}

}  // namespace orrery::analyze
