#include "machine/astra_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace orrery::machine {
namespace {

std::optional<AstraTopology> topology_of(Topology topology) {
  switch (topology) {
    case Topology::ring: return AstraTopology::ring;
    case Topology::fully_connected: return AstraTopology::fully_connected;
    case Topology::switched: return AstraTopology::switched;
    default: return std::nullopt;
  }
}

AstraAlgorithm algorithm_of(CollectiveAlgorithm algorithm) {
  switch (algorithm) {
    case CollectiveAlgorithm::direct: return AstraAlgorithm::direct;
    case CollectiveAlgorithm::halving_doubling: return AstraAlgorithm::halving_doubling;
    case CollectiveAlgorithm::double_binary_tree: return AstraAlgorithm::double_binary_tree;
    // Automatic and hierarchical have no name there: a ring in each dimension is its own usual choice.
    default: return AstraAlgorithm::ring;
  }
}

constexpr std::array<std::string_view, 4> kAlgorithmNames = {"ring", "direct", "halvingDoubling", "doubleBinaryTree"};

}  // namespace

Result<ExportedAstraSystem> to_astra_system(const Machine& machine) {
  if (machine.network.empty()) return Error{fmt::format("the machine '{}' has no network", machine.name)};
  if (!machine.faults.empty()) {
    return Error{fmt::format("the machine '{}' has faults, and ASTRA-sim has no words for single links", machine.name),
                 {},
                 Error::kNoOffset,
                 "the model fluid knows them; a whole dimension is slower by its derate"};
  }
  ExportedAstraSystem exported;
  AstraSystem& system = exported.system;
  for (const Dimension& dimension : machine.network) {
    const std::optional<AstraTopology> topology = topology_of(dimension.topology);
    if (!topology) {
      return Error{fmt::format("ASTRA-sim has no topology for the dimension '{}'", dimension.name),
                   {},
                   Error::kNoOffset,
                   "it knows ring, fully_connected and switch"};
    }
    // ASTRA-sim writes GB/s and counts 2^30.
    const double gib_per_s =
        dimension.bandwidth_gb_per_s * dimension.derate * 1e9 / static_cast<double>(std::int64_t{1} << 30);
    system.dimensions.push_back(
        {*topology, static_cast<std::uint32_t>(dimension.size), gib_per_s, dimension.latency_ns.value_or(0)});
  }
  const AstraImplementation implementation{algorithm_of(machine.communication.collective_algorithm)};
  for (auto& list : system.implementations) list.assign(system.dimensions.size(), implementation);
  // With a delay of 0 a chunk that is sent on arrives at the moment it was sent, and the event queue of ASTRA-sim
  // aborts: its asserts want every event to lie in the future.
  const auto overhead_ns = static_cast<std::int64_t>(machine.communication.message_overhead_us * 1000);
  exported.raised_endpoint_delay = overhead_ns < 1;
  system.endpoint_delay_ns = std::max<std::int64_t>(overhead_ns, 1);
  // Left out, it would be 0 and every reduction would take for ever: so much that it never counts.
  const double memory = machine.devices.memory.empty() ? 0 : machine.devices.memory[0].bandwidth_gb_per_s.value_or(0);
  system.local_memory_gb_per_s = memory > 0 ? memory : 1e6;
  return exported;
}

Result<AstraFiles> to_astra(const Machine& machine) {
  const Result<ExportedAstraSystem> exported = to_astra_system(machine);
  if (!exported) return exported.error();
  const AstraSystem& system = exported->system;
  std::string topologies, counts, bandwidths, latencies, algorithms;
  for (std::size_t d = 0; d < system.dimensions.size(); ++d) {
    const AstraDimension& dimension = system.dimensions[d];
    const std::string_view comma = d == 0 ? "" : ", ";
    topologies += fmt::format("{}{}", comma, kAstraTopologyNames[static_cast<std::size_t>(dimension.topology)]);
    counts += fmt::format("{}{}", comma, dimension.npus);
    bandwidths += fmt::format("{}{}", comma, dimension.bandwidth_gib_per_s);
    latencies += fmt::format("{}{}", comma, dimension.latency_ns);
    algorithms += fmt::format("{}\"{}\"", comma,
                              kAlgorithmNames[static_cast<std::size_t>(system.implementations[0][d].algorithm)]);
  }
  AstraFiles files;
  files.raised_endpoint_delay = exported->raised_endpoint_delay;
  files.network_yaml = fmt::format("topology: [ {} ]\nnpus_count: [ {} ]\nbandwidth: [ {} ]\nlatency: [ {} ]\n",
                                   topologies, counts, bandwidths, latencies);
  files.system_json = fmt::format(
      R"({{"scheduling-policy": "LIFO", "endpoint-delay": {}, "active-chunks-per-dimension": 1, "preferred-dataset-splits": 1,)"
      R"( "collective-optimization": "localBWAware", "local-mem-bw": {}, "all-reduce-implementation": [{}], "all-gather-implementation": [{}],)"
      R"( "reduce-scatter-implementation": [{}], "all-to-all-implementation": [{}]}})",
      system.endpoint_delay_ns, system.local_memory_gb_per_s, algorithms, algorithms, algorithms, algorithms);
  files.memory_json = R"({"memory-type": "NO_MEMORY_EXPANSION"})";
  return files;
}

}  // namespace orrery::machine
