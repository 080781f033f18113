// What a simulation shows: a sentence, ranks, links and collectives for people, everything as JSON or CSV.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "analyze/schedule/schedule_reasons.h"
#include "cli/frame/invocation.h"
#include "machine/machine.h"
#include "simulate/phase_sums.h"
#include "simulate/pricing/pricing_report.h"
#include "simulate/schedule.h"
#include "simulate/summed_schedule.h"
#include "workload/workload.h"

namespace orrery::cli {

struct SimulationReport {
  const workload::Workload& workload;
  const simulate::Schedule& schedule;
  std::span<const std::string> link_names;  ///< by link; none if the model has no links
  std::string model;                        ///< the network model or the tool reproduced
  std::uint64_t events = 0;                 ///< 0: not counted
  /// Where activities and collectives were added up as they went, instead of kept in the schedule.
  const simulate::SummedSchedule* sums = nullptr;
  const simulate::PhaseSums* phases = nullptr;       ///< where activities have the names of phases
  const machine::Machine* machine = nullptr;         ///< that it ran on, if one was described
  bool has_astra_links = false;                      ///< links are ASTRA-sim's, not the machine's
  const simulate::PricingReport* pricing = nullptr;  ///< where pricing has something to tell
};

/// Fills data() or text(); nodes are listed with --per-node, the critical path and what the run reacts to if they were
/// looked for, waits with --waits.
void report_simulation(Invocation& invocation, const SimulationReport& report, const analyze::ScheduleReasons& reasons);

}  // namespace orrery::cli
