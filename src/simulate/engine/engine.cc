#include "simulate/engine/engine.h"

#include <algorithm>

#include "simulate/engine/job_plan.h"
#include "simulate/engine/run.h"

namespace orrery::simulate {
namespace {

// The times of a class for each of its members.
Column<TimePs> for_every_rank(const Column<TimePs>& of_classes, const JobPlan& plan, const RunState& state) {
  Column<TimePs> of_ranks;
  of_ranks.resize_uninitialized(plan.first_activity.back());
  for (std::uint32_t rank = 0; rank < state.classes.class_of.size(); ++rank) {
    const std::uint64_t first = state.first_activity[state.classes.class_of[rank]];
    std::copy_n(of_classes.data() + first, plan.first_activity[rank + 1] - plan.first_activity[rank],
                of_ranks.data() + plan.first_activity[rank]);
  }
  return of_ranks;
}

// What a bundle did for each of its communicators.
Column<CollectiveUse> for_every_communicator(const Column<CollectiveUse>& of_bundles, const JobPlan& plan, const RunState& state) {
  Column<CollectiveUse> uses;
  uses.reserve(plan.matching.collective_count());
  for (std::size_t c = 0; c < plan.matching.communicators().size(); ++c) {
    const std::uint64_t first = state.bundles[state.bundle_of_communicator[c]].first;
    uses.append(std::span<const CollectiveUse>(of_bundles.data() + first, plan.matching.communicators()[c].operation_count));
  }
  return uses;
}

// From the first members of the classes to all ranks, as far as it is asked for.
void unfold(const JobPlan& plan, const RunState& state, Detail detail, Schedule& schedule) {
  const RankClasses& classes = state.classes;
  if (classes.is_trivial()) return;
  Column<RankUse> ranks;
  for (const std::uint32_t number : classes.class_of) ranks.push_back(schedule.ranks[number]);
  schedule.ranks = std::move(ranks);
  if (detail == Detail::every_rank) {
    schedule.start_ps = for_every_rank(schedule.start_ps, plan, state);
    schedule.end_ps = for_every_rank(schedule.end_ps, plan, state);
    schedule.collectives = for_every_communicator(schedule.collectives, plan, state);
    return;
  }
  for (const Bundle& bundle : state.bundles) {
    const Communicator& communicator = plan.matching.communicators()[bundle.communicators[0]];
    for (std::uint64_t i = 0; i < communicator.operation_count; ++i)
      schedule.collectives[bundle.first + i].instances = static_cast<std::uint32_t>(bundle.communicators.size());
  }
  for (const std::vector<std::uint32_t>& members : classes.members) schedule.executed_ranks.push_back(members[0]);
  schedule.class_of_rank.append(std::span<const std::uint32_t>(classes.class_of));
}

void add_links(const NetworkModel& network, Schedule& schedule) {
  for (const LinkUse& use : network.link_uses()) {
    schedule.link_bytes.push_back(use.bytes);
    schedule.link_busy_ps.push_back(use.busy_ps);
    schedule.link_peak_sharing.push_back(use.peak_sharing);
  }
}

}  // namespace

Result<Schedule> execute(const workload::Workload& workload, NetworkModel& network, const EngineOptions& options) {
  if (Status status = options.check(); !status) return status.error();
  const Result<JobPlan> plan = plan_job(workload, options);
  if (!plan) return plan.error();
  const auto run = [&](RankClasses classes, bool& unlike) -> Result<Schedule> {
    Run made(*plan, network, options, std::move(classes));
    Result<Schedule> schedule = made.execute();
    unlike = made.found_unlike();
    if (schedule) unfold(*plan, made.state(), options.detail, *schedule);
    return schedule;
  };
  bool unlike = false;
  Result<Schedule> schedule = run(options.use_symmetry ? find_rank_classes(*plan) : each_rank_alone(workload.rank_count()), unlike);
  if (unlike) {  // the network tells apart what the programs do not: routes that differ, say
    network.restart();
    schedule = run(each_rank_alone(workload.rank_count()), unlike);
  }
  if (!schedule) return schedule;
  add_links(network, *schedule);
  if (Status status = schedule->check(); !status) return Error{.message = "the simulation went wrong: " + status.error().message};
  return schedule;
}

}  // namespace orrery::simulate
