#include "simulate/collective/algorithm.h"

namespace orrery::simulate {

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
