#include "simulate/collective/algorithm.h"

#include <bit>
#include <cmath>

namespace orrery::simulate {

using workload::Collective;

Algorithm mpi_choice(Collective collective, std::size_t ranks, double bytes) {
  // MPICH's limits, in bytes; those of pairs are per partner.
  constexpr double kShortReduction = 2048, kShortBroadcast = 12288, kLong = 524288, kMediumGather = 81920;
  constexpr double kShortPair = 256, kMediumPair = 32768;
  constexpr std::size_t kFewRanks = 8;
  // Halving and doubling pairs ranks by the bits of their number, which works out for powers of two only.
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
    // Bruck's barrier is known as dissemination: as many rounds as doubling takes to reach every rank.
    case Collective::barrier: return Algorithm::bruck;
  }
  return Algorithm::automatic;
}

CommOptions comm_options(const machine::Communication& communication) {
  const auto to_ps = [](double us) { return static_cast<TimePs>(std::llround(us * static_cast<double>(kPsPerUs))); };
  CommOptions options{.launch_overhead_ps = to_ps(communication.launch_overhead_us),
                      .message_overhead_ps = to_ps(communication.message_overhead_us),
                      .rendezvous_above_bytes = communication.rendezvous_threshold_bytes};
  for (std::size_t i = 0; i < workload::kCollectives; ++i) {
    const Algorithm algorithm = communication.collective_algorithm;
    // A machine names one algorithm for all collectives; where it cannot do one, that one is chosen as usual.
    options.algorithms[i] = can_do(algorithm, static_cast<workload::Collective>(i)) ? algorithm : Algorithm::automatic;
  }
  return options;
}

using workload::Collective;

std::string_view to_string(Algorithm algorithm) {
  return machine::kCollectiveAlgorithmNames[static_cast<std::size_t>(algorithm)];
}

bool can_do(Algorithm algorithm, Collective collective) {
  const bool gather_or_scatter = collective == Collective::gather || collective == Collective::scatter;
  switch (algorithm) {
    case Algorithm::automatic:
    case Algorithm::ring:
    case Algorithm::bidirectional_ring:
    case Algorithm::direct:
    case Algorithm::halving_doubling: return true;
    case Algorithm::double_binary_tree: return !gather_or_scatter && collective != Collective::all_to_all;
    case Algorithm::hierarchical: return !gather_or_scatter;
    case Algorithm::mpi: return true;
    case Algorithm::binomial_tree:
      // Everything with one root; and all_reduce and barrier as a reduction followed by a broadcast.
      return gather_or_scatter || collective == Collective::all_reduce || collective == Collective::broadcast ||
             collective == Collective::reduce || collective == Collective::barrier;
    case Algorithm::recursive_doubling:
      return collective == Collective::all_reduce || collective == Collective::barrier;
    case Algorithm::bruck:
      return collective == Collective::all_gather || collective == Collective::all_to_all ||
             collective == Collective::barrier;
    case Algorithm::pairwise: return collective == Collective::all_to_all || collective == Collective::reduce_scatter;
  }
  return false;
}

bool is_automatic(Algorithm algorithm, Collective collective, bool inside_node) {
  if (!can_do(algorithm, collective)) return false;
  switch (algorithm) {
    case Algorithm::ring:
    case Algorithm::bidirectional_ring:
    case Algorithm::double_binary_tree:
    case Algorithm::hierarchical: return true;
    // Inside a node every partner is one hop away; in the others every rank has something else for every partner.
    case Algorithm::direct:
      return inside_node || collective == Collective::all_to_all || collective == Collective::gather ||
             collective == Collective::scatter;
    default: return false;
  }
}

bool is_inside_node(std::size_t dimension, machine::Topology topology) {
  return dimension == 0 && (topology == machine::Topology::switched || topology == machine::Topology::fully_connected);
}

}  // namespace orrery::simulate
