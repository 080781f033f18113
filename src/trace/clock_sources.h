// What besides the traces themselves tells how clocks of different nodes relate: measurements that were made while the
// job ran. Plain rows as files have them; times are nanoseconds of the clock named, since the Unix epoch unless said
// otherwise.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery::trace {

/// One exchange of packets: sent at t1, received at t2, answered at t3, answer received at t4. t1 and t4 are read on
/// the clock of `from`.
struct RawProbe {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t t1_ns = 0, t2_ns = 0, t3_ns = 0, t4_ns = 0;

  auto operator<=>(const RawProbe&) const = default;
};

/// What a node's own daemon made of the probes of one window to one other node: its clock minus ours is slope * (t -
/// window begin) + offset.
struct ProbeWindow {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t begin_ns = 0, end_ns = 0;  ///< on the clock of `from`
  double slope = 0;                       ///< a rate, not 1 + a rate, whatever the file writes
  double offset_ns = 0;
  std::int64_t pairs = 0, lost = 0;

  auto operator<=>(const ProbeWindow&) const = default;
};

/// An offset somebody worked out already: the clock of `node` minus that of node 0, at the middle of a round's window.
struct GivenOffset {
  std::uint32_t node = 0;
  std::int64_t round = 0;
  std::int64_t middle_ns = 0;  ///< on the clock of `node`
  double offset_ns = 0;
  double drift_ppm = 0;
  double residual_ns = 0;  ///< 0: not given
  bool usable = true;      ///< reachable and converged

  auto operator<=>(const GivenOffset&) const = default;
};

/// The host clock and the device tracer's clock of one node, read one just after the other, since the starts of
/// ClockSnapshots.
struct SnapshotPair {
  std::int64_t host_ns = 0;
  std::int64_t tracer_ns = 0;
};

struct ClockSnapshots {
  std::optional<std::uint32_t> node;
  std::int64_t host_start_ns = 0;    ///< Unix time at which host_ns is 0
  std::int64_t tracer_start_ns = 0;  ///< what the tracer's clock showed when tracer_ns is 0
  std::vector<SnapshotPair> pairs;
};

/// When a node's trace begins, as a file of offsets says.
struct NodeStart {
  std::uint32_t node = 0;
  std::int64_t host_start_ns = 0;
  std::int64_t tracer_start_ns = 0;
};

/// Everything of one or more files.
struct ClockSources {
  std::vector<RawProbe> probes;
  std::vector<ProbeWindow> windows;
  std::vector<GivenOffset> offsets;
  std::vector<ClockSnapshots> snapshots;
  std::vector<NodeStart> starts;
};

}  // namespace orrery::trace
