#include "simulate/collective/mpi_choice.h"

#include <bit>

namespace orrery::simulate {

using workload::Collective;

Algorithm mpi_choice(Collective collective, std::size_t ranks, double bytes) {
  constexpr double kShortReduction = 2048, kShortBroadcast = 12288, kLong = 524288, kMediumGather = 81920;
  constexpr double kShortPair = 256, kMediumPair = 32768;
  constexpr std::size_t kFewRanks = 8;
  const bool power = std::has_single_bit(ranks);
  switch (collective) {
    case Collective::all_reduce:
      if (bytes <= kShortReduction) return Algorithm::recursive_doubling;
      return power ? Algorithm::halving_doubling : Algorithm::ring;
    case Collective::reduce:
      return bytes > kShortReduction && power ? Algorithm::halving_doubling : Algorithm::binomial_tree;
    case Collective::broadcast:
      if (bytes < kShortBroadcast || ranks < kFewRanks) return Algorithm::binomial_tree;
      return power ? Algorithm::halving_doubling : Algorithm::ring;
    case Collective::all_gather:
      if (power) return bytes < kLong ? Algorithm::halving_doubling : Algorithm::ring;
      return bytes < kMediumGather ? Algorithm::bruck : Algorithm::ring;
    case Collective::all_to_all: {
      const double pair = bytes / static_cast<double>(ranks);
      return pair <= kShortPair ? Algorithm::bruck : pair <= kMediumPair ? Algorithm::direct : Algorithm::pairwise;
    }
    case Collective::reduce_scatter: return power && bytes < kLong ? Algorithm::halving_doubling : Algorithm::pairwise;
    case Collective::gather:
    case Collective::scatter: return Algorithm::binomial_tree;
    case Collective::barrier: return Algorithm::bruck;
  }
  return Algorithm::automatic;
}

}  // namespace orrery::simulate
