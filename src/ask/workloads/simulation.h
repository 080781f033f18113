// Running a workload on a machine and telling what came of it: what every question does that simulates.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ask/context.h"
#include "ask/workloads/network.h"
#include "machine/machine.h"
#include "simulate/pricing/pricing_report.h"
#include "simulate/run.h"
#include "simulate/schedule.h"
#include "simulate/summed_schedule.h"
#include "workload/source.h"
#include "workload/workload.h"

namespace orrery::ask {

/// What a run shows, and how it is made.
struct RunRequest {
  NetworkChoice network = {};
  std::optional<std::string> output = {};  ///< what would happen, as a trace: a file, or a folder with a file per rank
  std::optional<std::string> report = {};  ///< a page for a browser
  bool per_node = false;                   ///< also the start and end of every node
  bool path = false;                       ///< also the critical path, and the sensitivity of the makespan
  bool waits = false;                      ///< also what activities waited for, and for which ranks
  bool no_symmetry = false;                ///< simulate every rank, also where one stands for all

  [[nodiscard]] bool keeps_link_series() const;
};
template <typename Visitor>
void fields(RunRequest& request, Visitor&& visit) {
  fields(request.network, visit);
  visit("output", request.output);
  visit("report", request.report);
  visit("per-node", request.per_node);
  visit("path", request.path);
  visit("waits", request.waits);
  visit("no-symmetry", request.no_symmetry);
}

struct SimulationRun {
  std::string_view verb;  ///< of whom the page says that it was made by
  const machine::Machine& machine;
  NamedPricing priced_by;
  simulate::EngineOptions options;
  /// Of astra-sidecar: the user's own description of the machine, if there is one.
  std::optional<machine::AstraFiles> astra_files = {};
  bool shows_phases = false;  ///< activities have the names of phases, which are added up
  /// What else there is to say about a run that holds, before what to ask next.
  std::function<void(report::Answer&)> tell_more = {};
};

/// A job that is made while it runs. Where all that is asked for can be added up, it is made and forgotten step by
/// step; an output, nodes, a path and models without links hold all of it.
Result<report::Answer> run_source(Context& context, const RunRequest& request, SimulationRun run,
                                  workload::WorkloadSource& source);

/// A workload in memory.
Result<report::Answer> run_workload(Context& context, const RunRequest& request, SimulationRun run,
                                    const workload::Workload& workload);

/// Whether run_source would not hold all of the job.
bool can_be_summed(const RunRequest& request, const simulate::Pricing& pricing);

/// What came out of a run.
struct SimulationResult {
  std::string_view verb;
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

/// Writes what was asked for, and tells: a sentence, ranks, phases, collectives, links, and what to ask next. `answer`
/// may have begun already.
Status tell_simulation(report::Answer& answer, Context& context, const RunRequest& request,
                       const SimulationResult& result, const std::function<void(report::Answer&)>& tell_more = {});

}  // namespace orrery::ask
