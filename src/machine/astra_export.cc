#include "machine/astra_export.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::machine {
namespace {

std::string_view topology_name(Topology topology) {
  switch (topology) {
    case Topology::ring: return "Ring";
    case Topology::fully_connected: return "FullyConnected";
    case Topology::switched: return "Switch";
    default: return {};
  }
}

std::string_view algorithm_name(CollectiveAlgorithm algorithm) {
  switch (algorithm) {
    case CollectiveAlgorithm::direct: return "direct";
    case CollectiveAlgorithm::halving_doubling: return "halvingDoubling";
    case CollectiveAlgorithm::double_binary_tree: return "doubleBinaryTree";
    // Automatic and hierarchical have no name there: a ring in each dimension is its own usual choice.
    default: return "ring";
  }
}

}  // namespace

Result<AstraFiles> to_astra(const Machine& machine) {
  if (machine.network.empty()) return Error{fmt::format("the machine '{}' has no network", machine.name)};
  std::string topologies, counts, bandwidths, latencies, algorithms;
  for (const Dimension& dimension : machine.network) {
    const std::string_view topology = topology_name(dimension.topology);
    if (topology.empty()) {
      return Error{fmt::format("ASTRA-sim has no topology for the dimension '{}'", dimension.name),
                   {},
                   Error::kNoOffset,
                   "it knows ring, fully_connected and switch"};
    }
    const std::string comma = topologies.empty() ? "" : ", ";
    // ASTRA-sim writes GB/s and counts 2^30.
    const double gib_per_s = dimension.bandwidth_gb_per_s * dimension.derate * 1e9 / static_cast<double>(std::int64_t{1} << 30);
    topologies += fmt::format("{}{}", comma, topology);
    counts += fmt::format("{}{}", comma, dimension.size);
    bandwidths += fmt::format("{}{}", comma, gib_per_s);
    latencies += fmt::format("{}{}", comma, dimension.latency_ns.value_or(0));
    algorithms += fmt::format("{}\"{}\"", comma, algorithm_name(machine.communication.collective_algorithm));
  }
  AstraFiles files;
  // With a delay of 0 a chunk that is sent on arrives at the moment it was sent, and the event queue of ASTRA-sim aborts: its asserts want every
  // event to lie in the future.
  const auto overhead_ns = static_cast<std::int64_t>(machine.communication.message_overhead_us * 1000);
  files.raised_endpoint_delay = overhead_ns < 1;
  files.network_yaml =
      fmt::format("topology: [ {} ]\nnpus_count: [ {} ]\nbandwidth: [ {} ]\nlatency: [ {} ]\n", topologies, counts, bandwidths, latencies);
  // Left out, it would be 0 and every reduction would take for ever: so much that it never counts.
  const double memory = machine.devices.memory.empty() ? 0 : machine.devices.memory[0].bandwidth_gb_per_s.value_or(0);
  files.system_json = fmt::format(
      R"({{"scheduling-policy": "LIFO", "endpoint-delay": {}, "active-chunks-per-dimension": 1, "preferred-dataset-splits": 1,)"
      R"( "collective-optimization": "localBWAware", "local-mem-bw": {}, "all-reduce-implementation": [{}], "all-gather-implementation": [{}],)"
      R"( "reduce-scatter-implementation": [{}], "all-to-all-implementation": [{}]}})",
      std::max<std::int64_t>(overhead_ns, 1), memory > 0 ? memory : 1e6, algorithms, algorithms, algorithms, algorithms);
  files.memory_json = R"({"memory-type": "NO_MEMORY_EXPANSION"})";
  return files;
}

}  // namespace orrery::machine
