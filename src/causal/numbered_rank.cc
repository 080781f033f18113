#include "causal/numbered_rank.h"

#include <utility>

#include "causal/device/device_reach.h"
#include "causal/owner_table.h"

namespace orrery::causal {

Result<RankGraph> number_rank_graph(const RankSource& source, const StepWindow& window, Moments& moments,
                                    std::uint32_t begin, std::uint32_t end) {
  RankGraph step;
  OwnerTable owners(source.trace, source.rank, source.timeline, window);
  Result<Moments::Numbered> numbered = moments.build([&](trace::EventIndex event) { return owners.owner_of(event); });
  if (!numbered) return numbered.error();
  owners.add_lanes_and_annotations(source.content);
  step.owners = std::move(owners.owners);
  step.owner_events = std::move(owners.events);
  step.row_class = std::move(owners.row_class);
  step.operator_name = std::move(owners.operator_name);
  step.lanes = std::move(owners.lanes);
  step.annotations = std::move(owners.annotations);
  step.strings = std::move(owners.strings);
  step.window = window;
  step.graph = std::move(numbered->graph);
  step.time = std::move(numbered->time);
  step.node_lane = std::move(numbered->lane);
  for (TimePs& time : step.time) time -= window.begin;
  step.begin = numbered->number[begin];
  step.end = numbered->number[end];
  step.source_path = source.rank.source.path;
  step.rank = source.rank.rank;
  step.epoch_us = (source.trace.epoch_unix_ns - source.rank.source.base_time_ns.value_or(0)) / 1000;
  step.reach = find_device_reach(source.trace, source.rank, source.timeline, window);
  step.clock = find_device_clock(source.trace, source.rank, source.timeline, window);
  return step;
}

}  // namespace orrery::causal
