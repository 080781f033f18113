// What communication costs besides latency and bandwidth of links, and which algorithm does which collective.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/units.h"
#include "machine/communication.h"
#include "simulate/collective/algorithm.h"
#include "workload/workload.h"

namespace orrery::simulate {

/// A plain value. The defaults charge nothing beyond the links.
struct CommOptions {
  TimePs launch_overhead_ps = 0;   ///< once per collective, before its first message
  TimePs message_overhead_ps = 0;  ///< per message that a rank issues; those of one step are issued one after the other
  /// Larger messages first ask the receiver, which costs one more round trip. None: every message is sent at once
  /// (eager).
  std::optional<std::int64_t> rendezvous_above_bytes = {};
  std::array<Algorithm, workload::kCollectives> algorithms = {};  ///< by workload::Collective; `automatic` unless told

  [[nodiscard]] Algorithm algorithm(workload::Collective collective) const {
    return algorithms[static_cast<std::size_t>(collective)];
  }
};

/// As a machine says, rounded to picoseconds. Collectives that its algorithm cannot do at all are left to `automatic`.
CommOptions comm_options(const machine::Communication& communication);

}  // namespace orrery::simulate
