// The ranks of a job on one clock: as they are, as they were aligned before, or as their Exchanges tell.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "align/alignment.h"
#include "base/diagnostics.h"
#include "base/result.h"
#include "causal/causal_graph.h"
#include "match/exchange.h"
#include "trace/clock.h"
#include "trace/trace.h"

namespace orrery::job {

enum class ClockChoice : std::uint8_t {
  automatic,  ///< as aligned before; else estimated from Exchanges, and corrected if a correction exceeds its band
  one,        ///< the files are on one clock
  align,      ///< estimate and correct
};

struct JobClocks {
  match::Exchanges exchanges;
  causal::ClockSource source = causal::ClockSource::one;
  TimePs band = 0;  ///< -1: not known
  std::vector<trace::Clock>
      corrections;  ///< as Trace::ranks: from recorded to common time, with how far it may be off; empty: none
  std::vector<align::NodeAlignment>
      applied;  ///< as Trace::ranks: by which its times were changed here; empty: they were not

  /// Says in the job's graph which clocks it has, and how far its moments may be off.
  void describe(causal::CausalGraph& job) const;
};

/// Finds what the ranks exchanged, and changes the times of the trace if the choice says so.
Result<JobClocks> use_clocks(trace::Trace& trace, ClockChoice choice, Diagnostics& diagnostics);

/// An Error if the trace is of several runs (trace/names/rank_numbers.h), which nothing joins.
Status refuse_runs(const trace::Trace& trace);

/// Files that cannot be of one run.
Error of_other_runs(const std::string& what);

}  // namespace orrery::job
