// How a machine's software communicates: what simulators need to know besides the links. All of it may be left out of a
// description.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orrery::machine {

enum class CollectiveAlgorithm : std::uint8_t {
  automatic,
  ring,
  bidirectional_ring,
  direct,
  halving_doubling,
  double_binary_tree,
  hierarchical,
  mpi,
  binomial_tree,
  recursive_doubling,
  bruck,
  pairwise
};
inline constexpr std::array<std::string_view, 12> kCollectiveAlgorithmNames = {
    "auto", "ring",          "bidirectional_ring", "direct", "halving_doubling", "double_binary_tree", "hierarchical",
    "mpi",  "binomial_tree", "recursive_doubling", "bruck",  "pairwise"};

/// How communication is timed: by models of links, by closed forms, as ASTRA-sim does. simulate/pricing/pricing.h says
/// what each means.
enum class NetworkModelKind : std::uint8_t { fluid, isolated, snapshot, loggops, astra_sidecar, analytical, astra };
inline constexpr std::array<std::string_view, 7> kNetworkModelNames = {
    "fluid", "isolated", "snapshot", "loggops", "astra-sidecar", "analytical", "astra"};

/// The parameters of the LogGOPS model (Hoefler, Schneider, Lumsdaine: LogGOPSim, 2010). The defaults are LogGOPSim's
/// own.
struct LogGops {
  double latency_ns = 2500;                         ///< L
  double overhead_ns = 1500;                        ///< o: processor time per message, at each end
  double gap_ns = 1000;                             ///< g: between messages at a network interface
  double gap_ns_per_byte = 6;                       ///< G
  double overhead_ns_per_byte = 0;                  ///< O
  std::int64_t rendezvous_threshold_bytes = 65535;  ///< S: larger messages wait for their receiver

  friend bool operator==(const LogGops&, const LogGops&) = default;
};

/// The user's own ASTRA-sim, for the model that asks it.
struct AstraSimProgram {
  std::string binary;      ///< path of the program, with an analytical backend
  double timeout_s = 600;  ///< after which a run is given up

  friend bool operator==(const AstraSimProgram&, const AstraSimProgram&) = default;
};

struct Communication {
  NetworkModelKind network_model = NetworkModelKind::fluid;
  CollectiveAlgorithm collective_algorithm = CollectiveAlgorithm::automatic;
  double launch_overhead_us = 0;   ///< before a collective starts to move bytes, once per collective
  double message_overhead_us = 0;  ///< of software, per message
  std::optional<std::int64_t> rendezvous_threshold_bytes =
      {};  ///< larger messages wait for their receiver; none: no message waits
  std::optional<std::int64_t> stream_count =
      {};  ///< communications that a device has in flight at once; none: any number
  std::optional<AstraSimProgram> astra_sim = {};  ///< only used by the model astra-sidecar, which needs it
  std::optional<LogGops> loggops = {};  ///< only used by the model of that name, which takes the defaults if absent

  friend bool operator==(const Communication&, const Communication&) = default;
};

}  // namespace orrery::machine
