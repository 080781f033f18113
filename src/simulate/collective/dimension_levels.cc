#include "simulate/collective/dimension_levels.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/counted.h"
#include "simulate/collective/algorithm.h"

namespace orrery::simulate {

Result<std::vector<std::size_t>> dimension_levels(std::span<const std::uint32_t> ranks,
                                                  const machine::Network& network) {
  // Ranks are numbered with the first dimension fastest: those that share all outer coordinates follow each other.
  std::vector<std::size_t> apart;  // by neighbours in the group
  for (std::size_t i = 1; i < ranks.size(); ++i) apart.push_back(network.outermost_dimension(ranks[i - 1], ranks[i]));
  std::vector<std::size_t> dimensions = apart;
  std::sort(dimensions.begin(), dimensions.end());
  dimensions.erase(std::unique(dimensions.begin(), dimensions.end()), dimensions.end());

  std::vector<std::size_t> sizes;
  std::size_t inner = 1;  // ranks per block so far
  for (const std::size_t dimension : dimensions) {
    std::size_t block = 0, length = 1;
    for (std::size_t i = 0; i <= apart.size(); ++i) {
      if (i < apart.size() && apart[i] <= dimension) {
        ++length;
        continue;
      }
      if (block == 0) block = length;
      if (block != length) {
        return Error{
            .message = fmt::format("the group of {} does not fill the machine's dimensions evenly: {} in one place, "
                                   "{} in another",
                                   report::counted(ranks.size(), "rank"), report::counted(block, "rank"), length),
            .hint = "choose an algorithm that is not hierarchical"};
      }
      length = 1;
    }
    sizes.push_back(block / inner);
    inner = block;
  }
  return sizes;
}

bool lies_inside_node(std::span<const std::uint32_t> ranks, const machine::Network& network) {
  if (ranks.size() < 2 || !is_inside_node(0, network.topology(0))) return false;
  return std::all_of(ranks.begin(), ranks.end(),
                     [&](std::uint32_t rank) { return network.outermost_dimension(ranks[0], rank) == 0; });
}

Channels channels_over_places(std::span<const std::uint32_t> ranks, const machine::Network& network) {
  constexpr std::size_t kMaxTransfers = std::size_t{1} << 20;
  const auto levels = dimension_levels(ranks, network);
  if (!levels || levels->size() < 2) return {};
  const std::size_t place = ranks.size() / levels->back();
  return {.ranks_per_place = place, .count = std::clamp<std::size_t>(kMaxTransfers / ranks.size(), 1, place)};
}

}  // namespace orrery::simulate
