#include "simulate/engine/program_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "machine/device/roofline.h"
#include "workload/delays.h"

// Per activity: the resource it takes, its duration, and its successors side by side in one list. Lookahead asks
// whether what an activity waits for is all its rank's own computing and collectives: that is decided here, once per
// program.

namespace orrery::simulate {
namespace {

Status plan_programs(const workload::Workload& workload, const EngineOptions& options, JobPlan& plan) {
  plan.programs.resize(workload.programs.size());
  std::vector<bool> planned(workload.programs.size());
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const std::uint32_t program = workload.program_of_rank[rank];
    if (planned[program]) continue;
    Result<ProgramPlan> made =
        plan_program(workload, rank, workload.programs[program], plan.matching.lines_of_program(program), options);
    if (!made) return made.error();
    plan.programs[program] = std::move(*made);
    planned[program] = true;
  }
  return {};
}

}  // namespace

Result<JobPlan> plan_job(const workload::Workload& workload, const EngineOptions& options) {
  Result<workload::Matching> matching = workload::Matching::of(workload);
  if (!matching) return matching.error();
  JobPlan plan{std::move(*matching), {}, workload.first_activities(), options.replay};
  if (Status status = plan_programs(workload, options, plan); !status) return status.error();
  return plan;
}

namespace {

using workload::ActivityKind;
using workload::Program;

Resource resource_of(const Program& program, std::size_t i) {
  switch (program.kinds[i]) {
    case ActivityKind::compute: return program.has(i, workload::activity::kOnHost) ? Resource::host : Resource::compute;
    case ActivityKind::memory_load:
    case ActivityKind::memory_store: return Resource::memory;
    case ActivityKind::send: return Resource::send;
    case ActivityKind::recv: return Resource::recv;
    case ActivityKind::collective: return Resource::collective;
    case ActivityKind::none:
    case ActivityKind::metadata: break;
  }
  return Resource::nothing;
}

// Negative if it does not fit.
TimePs duration_of(const Program& program, std::size_t i, Resource resource, const EngineOptions& options) {
  if (!has_slots(resource)) return 0;
  const TimePs recorded = program.duration_ps(i);
  if (resource == Resource::host || recorded < 0 || recorded > kMaxSimulatedPs)
    return recorded > kMaxSimulatedPs ? -1 : recorded;
  if (resource == Resource::memory)
    return options.memory_bytes_per_second > 0
               ? machine::time_under({program.bytes[i], options.memory_bytes_per_second}).value_or(-1)
               : recorded;
  const bool has_operations = program.has(i, workload::activity::kHasOperations),
             has_bytes = program.has(i, workload::activity::kHasBytes);
  if (options.compute_time == ComputeTime::recorded || (!has_operations && !has_bytes))
    return recorded + options.launch_latency_ps;
  const std::array<machine::Ceiling, 2> ceilings = {
      machine::Ceiling{has_operations ? program.operations[i] : 0, options.operations_per_second},
      machine::Ceiling{has_bytes ? program.bytes[i] : 0, options.memory_bytes_per_second}};
  const std::optional<TimePs> time = machine::roofline_time(ceilings);
  return time ? *time + options.launch_latency_ps : -1;
}

}  // namespace

Resource planned_resource(const Program& program, std::size_t activity, bool is_replay) {
  const Resource resource = resource_of(program, activity);
  // Threads and streams are kept in order by the recorded dependencies, or not at all.
  return is_replay && !is_communication(resource) ? Resource::timed : resource;
}

TimePs activity_time(const Program& program, std::size_t activity, const EngineOptions& options) {
  return duration_of(program, activity, resource_of(program, activity), options);
}

namespace {

bool waits_for_start(const graph::Graph& dependencies, graph::Slot slot) {
  return static_cast<workload::Dependency>(dependencies.type(slot)) == workload::Dependency::start;
}

void add_edges(const graph::Graph& dependencies, ProgramPlan& plan) {
  for (std::uint32_t i = 0; i < plan.size(); ++i) {
    plan.activities[i].dependency_count = dependencies.incoming(i).size();
    for (const graph::Slot slot : dependencies.incoming(i)) {
      PlannedActivity& source = plan.activities[dependencies.source(slot)];
      if (!waits_for_start(dependencies, slot)) {
        ++source.successor_count;
        // Only what lookahead executes itself counts as local: the end of anything else comes from outside.
        if (source.resource != Resource::compute && source.resource != Resource::collective)
          plan.activities[i].waits_locally = false;
        continue;
      }
      plan.activities[i].waits_locally = false;
      source.starts_others = true;
      plan.start_edges.push_back({dependencies.source(slot), i});
    }
  }
  std::stable_sort(plan.start_edges.begin(), plan.start_edges.end(),
                   [](const StartEdge& a, const StartEdge& b) { return a.source < b.source; });
  // Successors of one activity lie side by side: counted first, then put in their places.
  std::uint32_t first = 0;
  for (PlannedActivity& activity : plan.activities) {
    activity.first_successor = first;
    first += std::exchange(activity.successor_count, 0);
  }
  plan.successors.resize_uninitialized(first);
  for (std::uint32_t i = 0; i < plan.size(); ++i) {
    for (const graph::Slot slot : dependencies.incoming(i)) {
      if (waits_for_start(dependencies, slot)) continue;
      PlannedActivity& source = plan.activities[dependencies.source(slot)];
      plan.successors[source.first_successor + source.successor_count++] = i;
    }
  }
}

void add_communication(const workload::ProgramLines& lines, ProgramPlan& plan) {
  plan.lines = &lines;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (plan.activities[i].resource != Resource::collective) continue;
    plan.activities[i].stream = lines.places[i].line;
    plan.activities[i].place = lines.places[i].place;
  }
}

void count_lanes(const Program& program, ProgramPlan& plan) {
  if (program.lanes.values().empty()) return;
  std::array<std::set<std::int32_t>, kSlotKinds> lanes;
  std::array<std::optional<std::int32_t>, kSlotKinds> last;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!has_slots(plan.activities[i].resource)) continue;
    const auto kind = static_cast<std::size_t>(plan.activities[i].resource);
    // Runs of one lane are long, and looking into a set is not free.
    if (last[kind] == program.lanes[i]) continue;
    lanes[kind].insert(program.lanes[i]);
    last[kind] = program.lanes[i];
  }
  for (std::size_t kind = 0; kind < kSlotKinds; ++kind)
    plan.recorded_lanes[kind] = static_cast<std::uint32_t>(lanes[kind].size());
}

}  // namespace

std::span<const StartEdge> ProgramPlan::started_by(std::uint32_t activity) const {
  const auto first = std::lower_bound(start_edges.begin(), start_edges.end(), activity,
                                      [](const StartEdge& edge, std::uint32_t source) { return edge.source < source; });
  const auto last =
      std::find_if(first, start_edges.end(), [&](const StartEdge& edge) { return edge.source != activity; });
  return {first, last};
}

Result<ProgramPlan> plan_program(const workload::Workload& job, std::size_t rank, const Program& program,
                                 const workload::ProgramLines& lines, const EngineOptions& options) {
  ProgramPlan plan;
  plan.activities.resize(program.size());
  const Column<std::uint8_t> is_delay = workload::find_delays(program, job.strings);
  for (std::size_t i = 0; i < program.size(); ++i) {
    PlannedActivity& planned = plan.activities[i];
    planned.resource = planned_resource(program, i, options.replay);
    // A delay of the device (a launch on its way, a stream that waits) takes time, but nothing of the device.
    if (planned.resource == Resource::compute && is_delay[i] != 0)
      planned.resource = Resource::timed, planned.waits_locally = false;
    const bool is_timed = planned.resource == Resource::timed;
    planned.duration_ps =
        is_timed || options.replay ? program.duration_ps(i) : duration_of(program, i, planned.resource, options);
    if (program.bytes[i] < 0)
      return Error{.message =
                       fmt::format("{} has a size of {} bytes", job.describe(rank, program, i), program.bytes[i])};
    if (planned.duration_ps < 0 || planned.duration_ps > kMaxSimulatedPs)
      return Error{.message =
                       fmt::format("{} takes less than no time or more than 26 days", job.describe(rank, program, i))};
  }
  add_edges(program.dependencies, plan);
  add_communication(lines, plan);
  count_lanes(program, plan);
  return plan;
}

}  // namespace orrery::simulate
