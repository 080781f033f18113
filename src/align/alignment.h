// The traces of many nodes and whatever was measured between their clocks -> one map per node and clock to a common
// clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "align/causality.h"
#include "align/estimate.h"
#include "align/logical_clock.h"
#include "base/diagnostics.h"
#include "base/result.h"
#include "match/exchange.h"
#include "trace/clock.h"
#include "trace/clock_sources.h"
#include "trace/trace.h"

namespace orrery::align {

// What could not be held to happens-before, and why, as counted remarks.

void remark_on_causality(const Exchanges& exchanges, const CausalityReport& report, const trace::Trace& trace,
                         Diagnostics& diagnostics);

struct AlignOptions {
  /// Whose host clock everything is brought to. It needs no trace if measurements know it. Node 0 unless given, or the
  /// lowest there is.
  std::optional<std::int64_t> reference_rank = {};
  /// Ranks 0 to n - 1 are of one host, and have its clock; the next n of the next. Unless given, what the traces say
  /// (SourceInfo::host).
  std::optional<std::int64_t> ranks_per_node = {};
  bool logical_clock = false;  ///< bend the clocks in the end until nothing contradicts happens-before
};

/// What a node's clocks turned out to be. Maps take TimePs since the job's epoch as recorded to TimePs on the
/// reference's host clock.
struct NodeAlignment {
  std::int64_t rank = 0;
  std::int64_t node = 0;  ///< whose clock the rank has: several ranks of one host have one
  bool calibrated = false;
  trace::Clock host = trace::Clock::identity();
  trace::Clock tracer =
      trace::Clock::identity();  ///< of lanes stamped by the device tracer; the same as `host` without snapshots
  bool has_snapshots = false;
  std::size_t observations = 0;
  std::size_t rejected = 0;                            ///< observations more than five typical residuals away
  TimePs first_observed_ps = 0, last_observed_ps = 0;  ///< on the node's own clock: beyond them the map is extrapolated
  TimePs median_residual_ps = 0;                       ///< of the absolute residuals of its observations
  std::vector<ClockStep> steps;
  LogicalShift logical;  ///< what the logical clock did, if it was asked for: it is part of `host` and `tracer`

  [[nodiscard]] const trace::Clock& clock(std::uint8_t domain) const { return domain == 0 ? host : tracer; }
};

struct Alignment {
  std::vector<NodeAlignment> nodes;  ///< as Trace::ranks
  std::vector<std::string>
      sources;  ///< what was used: "probes", "probe windows", "offsets", "snapshots", "collectives", "messages"
  Exchanges exchanges;
  CausalityReport before, after;
  CausalityReport estimated;  ///< with a logical clock: what it started from
  bool calibrated = false;    ///< there was anything to go by
};

/// Everything there is is used together, each source by how exact it turns out to be. Without any source the maps are
/// identities and `calibrated` is false. An Error: measurements of another run, or of nodes that have no trace.
Result<Alignment> align(const trace::Trace& trace, const trace::ClockSources& sources, const AlignOptions& options,
                        Diagnostics& diagnostics);

/// Before align(), if the reader moved clocks that are years apart together (RankTrace::era_ns): makes the era that of
/// the reference, so that its times are as recorded and the others' are moved to them. Nothing happens if there is no
/// such rank.
void take_era_of(std::int64_t reference_rank, trace::Trace& trace);

/// Puts every event of the trace on the common clock: start and end are mapped, so that order and nesting stay.
void apply(const Alignment& alignment, trace::Trace& trace);

}  // namespace orrery::align
