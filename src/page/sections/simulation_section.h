// A simulated run: how long it takes, what every rank and link does, and where the machine is full.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analyze/path/causal_path.h"
#include "analyze/schedule/link_use.h"
#include "analyze/schedule/schedule_reasons.h"
#include "analyze/schedule/stage_times.h"
#include "machine/machine.h"
#include "machine/topology/network.h"
#include "page/sections/section.h"
#include "report/sheet.h"
#include "simulate/schedule.h"
#include "simulate/summed_schedule.h"
#include "workload/workload.h"

namespace orrery::page {

/// Refers to what must outlive it.
struct SimulatedRun {
  const workload::Workload& workload;
  const simulate::Schedule& schedule;
  std::span<const std::string> link_names;  ///< by link; none if the model has no links
  std::string model;                        ///< the network model, or the tool that was reproduced
  const analyze::ScheduleReasons& reasons;  ///< with the path, where activities were kept
  simulate::CollectiveSums collectives = {};
  const simulate::PhaseSums* phases = nullptr;
  std::optional<analyze::StageShares> shares = {};  ///< of a forecast; none: what the last rank did has to do
  std::string expected = {};  ///< of a forecast: a sentence about where measurements would lie; empty: of none
  const machine::Machine* machine =
      nullptr;  ///< that the links are of; null: of none, or of another tool's description
  const machine::Network* network = nullptr;       ///< of that machine; null: the links are another tool's
  const analyze::MachineUse* use = nullptr;        ///< of the machine by part; null: not known
  std::span<const std::size_t> rank_numbers = {};  ///< what the ranks of the workload are called; empty: by their place

  [[nodiscard]] std::size_t number_of(std::size_t rank) const {
    return rank_numbers.empty() ? rank : rank_numbers[rank];
  }
};

/// "compute 78 %": what most of the path, or of the last rank's time, is; for the verdict.
struct RunBound {
  std::string what;
  double share_pct = 0;
};
RunBound bound_of(const SimulatedRun& run);

/// #verdict of a simulated run. `path`: of the run looked at like a recorded one, for what making free saves that the
/// run is bound by; null: not known.
Section simulated_verdict_section(const SimulatedRun& run, const analyze::PathSums* path);
/// #simulation with #links, #utilisation and #topology; those that there is nothing to say of are left out, with a
/// sentence.
Section simulation_section(const SimulatedRun& run);

}  // namespace orrery::page
