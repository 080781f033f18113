#include "simulate/engine/engine.h"

#include <optional>

#include "simulate/engine/kept_schedule.h"
#include "simulate/engine/run.h"
#include "simulate/summed_schedule.h"

namespace orrery::simulate {
namespace {

// What the engine counts by itself: of all ranks, and which were executed if one stands for several.
void add_ranks(const RunState& state, Detail detail, Schedule& schedule) {
  for (const std::uint32_t number : state.classes.class_of) schedule.ranks.push_back(state.ranks[number].use);
  if (state.classes.is_trivial() || detail == Detail::every_rank) return;
  for (const std::vector<std::uint32_t>& members : state.classes.members) schedule.executed_ranks.push_back(members[0]);
  schedule.class_of_rank.append(std::span<const std::uint32_t>(state.classes.class_of));
}

void add_links(const NetworkModel& network, Schedule& schedule) {
  for (const LinkUse& use : network.link_uses()) {
    schedule.link_bytes.push_back(use.bytes);
    schedule.link_busy_ps.push_back(use.busy_ps);
    schedule.link_peak_sharing.push_back(use.peak_sharing);
  }
}

/// Runs the source once more, and looks at the links: how long it takes, and so where bins begin, is known only now.
Status add_link_series(workload::WorkloadSource& source, const workload::Membership& membership, NetworkModel& network,
                       const EngineOptions& options, bool each_alone, Schedule& schedule) {
  LinkRecorder recorder(schedule.link_bytes, schedule.link_busy_ps, schedule.makespan_ps());
  network.restart(&recorder);
  SummedSchedule passed_over;
  EngineOptions all_of_it = options;
  all_of_it.use_steady_state = false;  // what is passed over, nobody records
  Run again(source, membership, network, all_of_it,
            each_alone ? each_rank_alone(source.job().rank_count()) : find_rank_classes(membership), passed_over);
  const Status done = again.execute();
  if (done) schedule.link_series = recorder.take(schedule.link_bytes);
  return done;
}

/// Runs the source, and again with every rank if those that seemed alike are not. `take`: what the sink made of it.
template <typename Take>
Result<Schedule> run_source(workload::WorkloadSource& source, NetworkModel& network, const EngineOptions& options,
                            ScheduleSink& sink, const Take& take) {
  if (Status status = options.check(); !status) return status.error();
  std::optional<workload::Membership> made;
  if (source.checked() == nullptr) {
    std::vector<workload::ProgramStructure> structures;
    for (std::uint32_t program = 0; program < source.program_count(); ++program)
      structures.push_back(source.structure(program));
    Result<workload::Membership> membership = workload::Membership::of(source.job(), std::move(structures));
    if (!membership) return membership.error();
    if (Status status = membership->check(); !status) return status.error();
    made = std::move(*membership);
  }
  const workload::Membership& membership = made ? *made : *source.checked();
  const auto run_once = [&](const EngineOptions& how, bool each_alone, bool& unlike,
                            bool& looked_ahead) -> Result<Schedule> {
    Run one(source, membership, network, how,
            each_alone ? each_rank_alone(source.job().rank_count()) : find_rank_classes(membership), sink);
    const Status done = one.execute();
    unlike = one.found_unlike();
    looked_ahead = one.used_lookahead();
    if (!done) return done.error();
    Schedule schedule = take(one.layout());
    add_ranks(one.state(), options.detail, schedule);
    return schedule;
  };
  const auto run = [&](bool each_alone, bool& unlike) -> Result<Schedule> {
    bool looked_ahead = false;
    Result<Schedule> schedule = run_once(options, each_alone, unlike, looked_ahead);
    if (schedule || unlike || !looked_ahead) return schedule;
    // It may be wrong because something was executed before its time; and what is wrong anyway is to be told as it is
    // without that.
    EngineOptions in_order = options;
    in_order.use_lookahead = false;
    network.restart();
    return run_once(in_order, each_alone, unlike, looked_ahead);
  };
  bool unlike = false;
  Result<Schedule> schedule = run(!options.use_symmetry, unlike);
  const bool each_alone = unlike || !options.use_symmetry;
  if (unlike) {  // the network tells apart what the programs do not: routes that differ, say
    network.restart();
    schedule = run(true, unlike);
  }
  if (!schedule) return schedule;
  add_links(network, *schedule);
  if (options.keep_link_series && schedule->link_count() > 0) {
    if (Status added = add_link_series(source, membership, network, options, each_alone, *schedule); !added)
      return added.error();
  }
  if (Status status = schedule->check(); !status)
    return Error{.message = "the simulation went wrong: " + status.error().message};
  return schedule;
}

}  // namespace

Result<Schedule> execute(workload::WorkloadSource& source, NetworkModel& network, const EngineOptions& options,
                         ScheduleSink& sink) {
  return run_source(source, network, options, sink, [](const RunLayout&) { return Schedule(); });
}

Result<Schedule> execute(workload::WorkloadSource& source, NetworkModel& network, const EngineOptions& options) {
  KeptSchedule kept(options.keep_causes);
  return run_source(source, network, options, kept,
                    [&](const RunLayout& layout) { return kept.take(layout, options.detail); });
}

Result<Schedule> execute(const workload::Workload& workload, NetworkModel& network, const EngineOptions& options) {
  if (Status status = options.check(); !status) return status.error();
  Result<workload::WholeWorkload> whole = workload::WholeWorkload::of(workload);
  if (!whole) return whole.error();
  return execute(*whole, network, options);
}

}  // namespace orrery::simulate
