#include "simulate/collective/dimension_levels.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::simulate {

Result<std::vector<std::size_t>> dimension_levels(std::span<const std::uint32_t> ranks, const machine::Network& network) {
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
        return Error{.message = fmt::format("the group of {} ranks does not fill the machine's dimensions evenly: {} ranks in one place, "
                                            "{} in another",
                                            ranks.size(), block, length),
                     .hint = "choose an algorithm that is not hierarchical"};
      }
      length = 1;
    }
    sizes.push_back(block / inner);
    inner = block;
  }
  return sizes;
}

}  // namespace orrery::simulate
