#include "analyze/capture/work_origins.h"

#include <algorithm>

namespace orrery::analyze {

using trace::EventIndex;
using trace::Field;

const OperatorCall* WorkOrigin::outermost() const {
  const auto at = std::find_if(operators.begin(), operators.end(),
                               [](const OperatorCall& call) { return !is_callers_frame(call.name); });
  return at == operators.end() ? nullptr : &*at;
}

std::size_t works_with_origin(const trace::RankTrace& rank) {
  const auto& events = rank.field(Field::origin_text).event;
  return static_cast<std::size_t>(std::count_if(events.begin(), events.end(),
                                                [&](EventIndex e) { return trace::is_device_work(rank.activity(e)); }));
}

WorkOrigins::WorkOrigins(const trace::Trace& trace, const trace::RankTrace& rank,
                         const causal::DeviceTimeline& timeline)
    : trace_(trace),
      rank_(rank),
      timeline_(timeline),
      launches_(find_graph_launches(trace, rank, timeline)),
      calls_(trace, rank) {}

std::string_view WorkOrigins::text(Field field, EventIndex event) const {
  const auto id = rank_.field(field).find(event);
  return id ? trace_.strings.text(static_cast<StringId>(*id)) : std::string_view();
}

const std::vector<EventIndex>& WorkOrigins::annotations_around(std::uint32_t work) {
  static const std::vector<EventIndex> kNone;
  const EventIndex call = timeline_.works[work].call;
  return call == causal::kNoEvent ? kNone : calls_.of(call).annotations;
}

WorkOrigin WorkOrigins::of(std::uint32_t work) {
  const causal::DeviceWork& w = timeline_.works[work];
  WorkOrigin origin;
  if (launches_.launch_of_work[work] != GraphLaunches::kNoLaunch) {
    // What is around the launch of a graph is not what its nodes belong to: only a capture can tell.
    origin.source = text(Field::origin_text, w.event);
    if (origin.source.empty()) return origin;
    if (const auto chain = rank_.field(Field::operators_text).find(w.event)) {
      const auto [at, is_new] = chains_.try_emplace(static_cast<StringId>(*chain));
      if (is_new) at->second = operator_calls_from_json(trace_.strings.text(at->first));
      origin.operators = at->second;
    }
    origin.modules = text(Field::module_path_text, w.event);
    origin.range = text(Field::range_text, w.event);
    return origin;
  }
  if (w.call == causal::kNoEvent) return origin;
  const CallOrigin& call = calls_.of(w.call);
  origin.operators = operator_calls(trace_, rank_, call.operators);
  origin.modules = call.modules;
  if (!call.annotations.empty()) origin.range = trace_.name(rank_, call.annotations.front());
  if (!call.operators.empty()) origin.source = "trace";
  return origin;
}

}  // namespace orrery::analyze
