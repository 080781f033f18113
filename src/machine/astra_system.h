// A machine as ASTRA-sim describes it: network, system and remote memory configuration, with that simulator's units and
// its choices of collective algorithms. A plain value; formats/astra reads it, simulate/astra runs it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::machine {

enum class AstraTopology : std::uint8_t { ring, fully_connected, switched };
inline constexpr std::array<std::string_view, 3> kAstraTopologyNames = {"Ring", "FullyConnected", "Switch"};

struct AstraDimension {
  AstraTopology topology = AstraTopology::ring;
  std::uint32_t npus = 2;
  double bandwidth_gib_per_s = 0;  ///< "GB/s" in the file; it counts 2^30
  double latency_ns = 0;

  /// In the double arithmetic that ASTRA-sim's results depend on.
  [[nodiscard]] double bytes_per_ns() const {
    return bandwidth_gib_per_s * static_cast<double>(std::int64_t{1} << 30) / 1'000'000'000;
  }
};

enum class AstraAlgorithm : std::uint8_t { ring, direct, halving_doubling, double_binary_tree };

struct AstraImplementation {
  AstraAlgorithm algorithm = AstraAlgorithm::ring;
  bool flat = false;         ///< "oneRing" and so on: one logical dimension of all ranks
  std::int32_t window = -1;  ///< of direct: messages at once; -1: all
};

/// The collectives that have an implementation of their own.
enum class AstraCollective : std::uint8_t { all_reduce, all_gather, reduce_scatter, all_to_all };
inline constexpr std::size_t kAstraCollectives = 4;

enum class AstraPolicy : std::uint8_t { lifo, fifo, explicit_priority };

/// Memory beyond the device.
struct AstraRemoteMemory {
  enum class Sharing : std::uint8_t { per_npu, per_node, pool };
  Sharing sharing = Sharing::per_npu;
  std::int64_t latency_ns = 0;
  double bytes_per_ns = 0;
  std::uint32_t npus_per_node = 1;
};

/// The bus between a device and its network endpoint (model-shared-bus), by LogGP.
struct AstraSharedBus {
  std::int64_t latency_ns = 0, overhead_ns = 0, gap_ns = 0;  ///< L, o, g: whole ones, as ASTRA-sim counts them
  double gap_per_byte_ns = 0;                                ///< G, to the precision of a float
  std::int64_t reduction_delay_ns = 1;                       ///< local-reduction-delay: per 100 bytes
};

struct AstraSystem {
  std::vector<AstraDimension> dimensions;
  std::array<std::vector<AstraImplementation>, kAstraCollectives> implementations;
  AstraPolicy policy = AstraPolicy::lifo;
  bool local_bandwidth_aware = true;  ///< collective-optimization localBWAware, not baseline
  std::int64_t splits = 1;
  std::int64_t active_chunks = 1;
  std::int64_t queues_per_dim = 1;
  std::int64_t endpoint_delay_ns = 10;
  double local_memory_gb_per_s = 0;  ///< 1e9 bytes
  double peak_tflops = 0;
  bool roofline = false;
  bool replay_only = false;
  bool rendezvous = false;
  std::optional<AstraRemoteMemory> remote_memory;
  std::optional<AstraSharedBus> shared_bus = {};  ///< instead of the endpoint's delay
  /// Collectives given as execution traces: PREFIX of PREFIX.0.et, PREFIX.1.et, ..., one per place in the communicator.
  /// By collective, empty: none; and by the id of the node that calls it, which comes first.
  std::array<std::string, kAstraCollectives> custom = {};
  std::map<std::uint64_t, std::string> custom_of_node = {};

  [[nodiscard]] bool has_custom() const {
    return !custom_of_node.empty() ||
           std::any_of(custom.begin(), custom.end(), [](const std::string& prefix) { return !prefix.empty(); });
  }
  [[nodiscard]] std::uint64_t npus() const {
    std::uint64_t product = 1;
    for (const AstraDimension& dimension : dimensions) product *= dimension.npus;
    return product;
  }
};

}  // namespace orrery::machine
