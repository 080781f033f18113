#include "analyze/diff/lane_pairing.h"

#include <algorithm>

namespace orrery::analyze {
namespace {

using LanePairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Pools of threads: which of a hundred alike is which cannot be told, and would be asked ten thousand times.
constexpr std::size_t kMostLanes = 64;

std::vector<std::vector<std::uint32_t>> sorted_lanes(std::span<const LaneClasses> lanes) {
  std::vector<std::vector<std::uint32_t>> sorted;
  for (const LaneClasses lane : lanes) {
    sorted.emplace_back(lane.begin(), lane.end());
    std::sort(sorted.back().begin(), sorted.back().end());
  }
  return sorted;
}

std::uint64_t count_common(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::uint64_t common = 0;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (*x < *y) ++x;
    else if (*y < *x) ++y;
    else ++common, ++x, ++y;
  }
  return common;
}

/// `few` has fewer lanes than `many`. best[i][j]: what the lanes from i and from j on can have in common at most.
LanePairs pair_by_content(std::span<const LaneClasses> few, std::span<const LaneClasses> many) {
  const auto a = sorted_lanes(few), b = sorted_lanes(many);
  std::vector<std::vector<std::uint64_t>> worth(a.size()),
      best(a.size() + 1, std::vector<std::uint64_t>(b.size() + 1, 0));
  for (std::size_t i = a.size(); i-- > 0;) {
    worth[i].resize(b.size());
    for (std::size_t j = b.size(); j-- > 0;) {
      // What lanes have in common decides; that they are paired at all is worth less than one piece, and more than
      // nothing.
      worth[i][j] = count_common(a[i], b[j]) * (kMostLanes + 1) + 1;
      best[i][j] = std::max({best[i + 1][j + 1] + worth[i][j], best[i + 1][j], best[i][j + 1]});
    }
  }
  LanePairs pairs;
  for (std::uint32_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (best[i][j] == best[i + 1][j + 1] + worth[i][j]) pairs.emplace_back(i++, j++);
    else if (best[i][j] == best[i][j + 1]) ++j;
    else ++i;
  }
  return pairs;
}

}  // namespace

LanePairs pair_lanes(std::span<const LaneClasses> a, std::span<const LaneClasses> b) {
  if (a.size() > b.size()) {
    LanePairs pairs = pair_lanes(b, a);
    for (auto& [first, second] : pairs) std::swap(first, second);
    return pairs;
  }
  if (a.size() < b.size() && b.size() <= kMostLanes) return pair_by_content(a, b);
  LanePairs pairs;
  for (std::uint32_t i = 0; i < a.size(); ++i) pairs.emplace_back(i, i);
  return pairs;
}

}  // namespace orrery::analyze
