#include "simulate/trace_rank/rank_lanes.h"

#include <fmt/format.h>

#include <algorithm>

#include "workload/program_lines.h"

namespace orrery::simulate {

EffectiveSources::EffectiveSources(const workload::Program& program, const RankLanes& lanes,
                                   const Column<std::uint8_t>& is_delay)
    : program_(program), is_delay_(is_delay) {
  std::vector<std::uint32_t> place(program.size());
  for (std::uint32_t i = 0; i < lanes.order.size(); ++i) place[lanes.order[i]] = i;
  // In order: what a delay comes after has been seen through before.
  for (const std::uint32_t delay : lanes.order) {
    if (!this->is_delay(delay)) continue;
    std::vector<std::uint32_t> latest;
    for_each(delay, [&](std::uint32_t source) {
      // Of several on one lane only the latest matters: a lane runs one after the other.
      const auto same_lane = std::find_if(latest.begin(), latest.end(), [&](std::uint32_t other) {
        return lanes.lane_of[other] == lanes.lane_of[source];
      });
      if (same_lane == latest.end()) latest.push_back(source);
      else if (place[source] > place[*same_lane]) *same_lane = source;
    });
    through_.emplace(delay, std::move(latest));
  }
}

namespace {

/// Lanes of one kind.
struct LaneFamily {
  std::string name;
  std::vector<TimePs> free_at = {};  // per lane
};

// Families in the order of the timeline: host, compute, memory, one per stream, messages, control.
std::vector<LaneFamily> make_families(const workload::Workload& workload, const ProgramPlan& plan) {
  std::vector<LaneFamily> families = {{"host", {0}}, {"compute"}, {"memory"}};
  for (const workload::Stream& stream : plan.streams()) {
    const std::string_view group = workload.strings.text(stream.group_name);
    families.push_back({fmt::format("comm {}", group.empty() ? "world" : group)});
  }
  families.push_back({"messages"});
  families.push_back({"control"});
  return families;
}

std::size_t family_of(const ProgramPlan& plan, std::uint32_t activity) {
  switch (plan.activities[activity].resource) {
    case Resource::host: return 0;
    case Resource::compute: return 1;
    case Resource::memory: return 2;
    case Resource::collective: return 3 + plan.activities[activity].stream;
    case Resource::send:
    case Resource::recv: return 3 + plan.streams().size();
    case Resource::timed:  // in replays, and delays, which have no lane
    case Resource::nothing: break;
  }
  return 4 + plan.streams().size();
}

std::uint32_t take_lane(LaneFamily& family, TimePs start, TimePs end) {
  std::size_t best = family.free_at.size();
  // The lane that was free last, so that gaps on a lane stay short.
  for (std::size_t lane = 0; lane < family.free_at.size(); ++lane) {
    if (family.free_at[lane] <= start && (best == family.free_at.size() || family.free_at[lane] > family.free_at[best]))
      best = lane;
  }
  if (best == family.free_at.size()) family.free_at.push_back(0);
  family.free_at[best] = end;
  return static_cast<std::uint32_t>(best);
}

}  // namespace

RankLanes assign_lanes(const workload::Workload& workload, const workload::Program& program, const ProgramPlan& plan,
                       const Schedule& schedule, std::uint64_t first, const Column<std::uint8_t>& is_delay) {
  RankLanes lanes;
  const Column<std::uint32_t> by_program = workload::program_order(program.dependencies);
  lanes.order.assign(by_program.begin(), by_program.end());
  std::stable_sort(lanes.order.begin(), lanes.order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return schedule.start_ps[first + a] < schedule.start_ps[first + b];
  });

  std::vector<LaneFamily> families = make_families(workload, plan);
  lanes.lane_of.resize(plan.size());
  for (const std::uint32_t i : lanes.order) {
    if (is_delay[i] == 0)
      lanes.lane_of[i] =
          take_lane(families[family_of(plan, i)], schedule.start_ps[first + i], schedule.end_ps[first + i]);
  }

  std::vector<std::uint32_t> first_lane;
  for (std::size_t f = 0; f < families.size(); ++f) {
    first_lane.push_back(static_cast<std::uint32_t>(lanes.names.size()));
    for (std::size_t lane = 0; lane < families[f].free_at.size(); ++lane) {
      lanes.names.push_back(lane == 0 ? families[f].name : fmt::format("{} {}", families[f].name, lane + 1));
      lanes.is_host.push_back(f == 0);
    }
  }
  for (std::uint32_t i = 0; i < plan.size(); ++i) lanes.lane_of[i] += first_lane[family_of(plan, i)];
  return lanes;
}

}  // namespace orrery::simulate
