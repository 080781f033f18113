#include "causal/step_window.h"

#include <algorithm>
#include <limits>
#include <map>

#include "causal/step_name.h"
#include "match/communication.h"
#include "report/counted.h"

// The window of a step is found in two moves: the extent of its annotation on the host, and then what the device makes
// of it. It begins when the work of earlier steps has ended and ends when its own work has, so that the windows of
// successive steps follow each other without a gap, however far the device lags behind the host.

namespace orrery::causal {
namespace {

using trace::Activity;
using trace::EventIndex;

void sort_by_start(const trace::ContentOrder& content, std::vector<EventIndex>& events) {
  std::stable_sort(events.begin(), events.end(), [&](EventIndex a, EventIndex b) { return content.before(a, b); });
}

Result<StepWindow> whole_trace(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceTimeline& timeline,
                               const trace::ContentOrder& content) {
  StepWindow window;
  window.is_whole_trace = true;
  window.label = "whole trace";
  window.begin = std::numeric_limits<TimePs>::max();
  window.end = std::numeric_limits<TimePs>::min();
  const std::vector<std::uint8_t> is_worker = worker_lanes(trace, rank);
  std::vector<TimePs> busy(rank.lanes.size(), 0);
  TimePs frames_begin = window.begin, frames_end = window.end;
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    if (is_worker[rank.lane[e]] == 0 || !is_host_work(rank.activity(e)) || !rank.has_duration(e) ||
        rank.duration[e] <= 0)
      continue;
    busy[rank.lane[e]] +=
        rank.duration[e] / 1024;  // scaled: nested events are counted more than once, and the sum must fit
    // A Python frame of a worker thread may wait there for ever; it is no work that anybody waits for.
    const bool is_frame = rank.activity(e) == Activity::python;
    (is_frame ? frames_begin : window.begin) = std::min(is_frame ? frames_begin : window.begin, rank.start[e]);
    (is_frame ? frames_end : window.end) = std::max(is_frame ? frames_end : window.end, rank.end(e));
  }
  if (const std::vector<EventIndex> steps = find_steps(trace, rank, content); !steps.empty()) {
    window.main_lane = rank.lane[steps.front()];
    window.steps = steps_of(trace, rank, steps);
  } else {
    // In the order of content: of two lanes that are equally busy, the choice must not depend on the order of the file.
    for (const trace::LaneIndex lane : content.lanes()) {
      if (busy[lane] > (window.main_lane ? busy[*window.main_lane] : 0)) window.main_lane = lane;
    }
  }
  for (const DeviceWork& work : timeline.works) {
    window.begin = std::min(window.begin, work.start);
    window.end = std::max(window.end, work.end);
  }
  // Where frames are all there is, they are what was recorded.
  if (window.end <= window.begin) window.begin = frames_begin, window.end = frames_end;
  if (window.end <= window.begin)
    return Error{"there is no host or device work in this trace", rank.source.path, Error::kNoOffset,
                 "see what is in it with: orrery info"};
  window.host_begin = window.begin;
  window.host_end = window.end;
  return window;
}

}  // namespace

std::vector<EventIndex> find_annotated(const trace::Trace& trace, const trace::RankTrace& rank,
                                       const trace::ContentOrder& content, const std::string& text) {
  Column<std::uint8_t> matches(trace.strings.size());
  for (StringId id = 0; id < matches.size(); ++id)
    matches[id] = trace.strings.text(id).find(text) != std::string_view::npos;
  std::vector<EventIndex> found;
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    if (matches[rank.name[e]] != 0 && is_host_work(rank.activity(e)) && rank.has_duration(e) && rank.duration[e] > 0)
      found.push_back(e);
  }
  sort_by_start(content, found);
  return found;
}

std::vector<std::uint8_t> worker_lanes(const trace::Trace& trace, const trace::RankTrace& rank) {
  std::vector<std::uint8_t> works(rank.lanes.size(), 0);
  std::vector<std::uint8_t> hosts(rank.lanes.size(), 0);
  bool any = false;
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    const Activity activity = rank.activity(e);
    if (!is_host_work(activity)) continue;
    hosts[rank.lane[e]] = 1;
    if (activity == Activity::python ||
        (activity == Activity::annotation && !match::is_host_communication(trace.name(rank, e))))
      continue;
    works[rank.lane[e]] = 1;
    any = true;
  }
  // A trace with nothing but annotations and frames still has its threads.
  return any ? works : hosts;
}

std::vector<EventIndex> find_steps(const trace::Trace& trace, const trace::RankTrace& rank,
                                   const trace::ContentOrder& content) {
  // PyTorch's profiler marks steps by name; other recorders number them in a field.
  std::vector<EventIndex> steps = find_annotated(trace, rank, content, "ProfilerStep#");
  std::erase_if(steps, [&](EventIndex e) { return !trace.name(rank, e).starts_with("ProfilerStep#"); });
  if (!steps.empty()) return steps;
  for (const EventIndex e : rank.field(trace::Field::step).event) {
    if (is_host_work(rank.activity(e)) && rank.has_duration(e) && rank.duration[e] > 0) steps.push_back(e);
  }
  sort_by_start(content, steps);
  return steps.empty() ? find_engine_steps(trace, rank, content) : steps;
}

std::vector<EventIndex> find_engine_steps(const trace::Trace& trace, const trace::RankTrace& rank,
                                          const trace::ContentOrder& content) {
  enum class Name : std::uint8_t { unknown, step, other };
  Column<Name> names(trace.strings.size(), Name::unknown);
  std::vector<EventIndex> steps;
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    if (!is_host_work(rank.activity(e)) || !rank.has_duration(e) || rank.duration[e] <= 0) continue;
    Name& name = names[rank.name[e]];
    // Each distinct name once.
    if (name == Name::unknown) name = step_name_in(trace, trace.name(rank, e)) ? Name::step : Name::other;
    if (name == Name::step) steps.push_back(e);
  }
  sort_by_start(content, steps);
  // Of those that begin together the longest is around the others.
  std::stable_sort(steps.begin(), steps.end(), [&](EventIndex a, EventIndex b) {
    return rank.start[a] != rank.start[b] ? rank.start[a] < rank.start[b] : rank.duration[a] > rank.duration[b];
  });
  std::map<trace::LaneIndex, TimePs> covered;
  std::erase_if(steps, [&](EventIndex e) {
    const auto [at, is_first] = covered.try_emplace(rank.lane[e], rank.end(e));
    if (is_first) return false;
    if (rank.start[e] < at->second) return true;
    at->second = rank.end(e);
    return false;
  });
  return steps;
}

std::vector<StepWindow::Step> steps_of(const trace::Trace& trace, const trace::RankTrace& rank,
                                       std::span<const EventIndex> events) {
  std::vector<StepWindow::Step> steps;
  steps.reserve(events.size());
  for (const EventIndex event : events)
    steps.push_back({std::string(trace.name(rank, event)), rank.start[event], rank.end(event)});
  return steps;
}

StepWindows::StepWindows(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceTimeline& timeline)
    : trace_(trace), rank_(rank), works_(timeline.works.size()) {
  for (std::size_t w = 0; w < works_.size(); ++w)
    works_[w] = {attributed_at(timeline.works[w]), timeline.works[w].end, 0};
  const auto earlier = [](const Work& a, const Work& b) { return a.attributed_at < b.attributed_at; };
  if (!std::is_sorted(works_.begin(), works_.end(), earlier)) std::sort(works_.begin(), works_.end(), earlier);
  TimePs latest = std::numeric_limits<TimePs>::min();
  for (Work& work : works_) work.latest_end = latest = std::max(latest, work.end);
}

StepWindow StepWindows::of(std::span<const EventIndex> events) const {
  StepWindow window;
  window.host_begin = rank_.start[events.front()];
  window.host_end = rank_.end(events.front());
  for (const EventIndex event : events) window.host_end = std::max(window.host_end, rank_.end(event));
  window.label = trace_.name(rank_, events.front());
  if (events.size() > 1) window.label += " to " + std::string(trace_.name(rank_, events.back()));
  window.main_lane = rank_.lane[events.front()];
  window.steps = steps_of(trace_, rank_, events);
  extend_over_device(window);
  return window;
}

void StepWindows::extend_over_device(StepWindow& window) const {
  window.begin = window.host_begin;
  window.end = window.host_end;
  const auto entered = [&](TimePs time) {
    return std::lower_bound(works_.begin(), works_.end(), time,
                            [](const Work& work, TimePs at) { return work.attributed_at < at; });
  };
  const Work *const first = entered(window.host_begin), *const last = entered(window.host_end);
  for (const Work* work = first; work != last; ++work) window.end = std::max(window.end, work->end);
  // Until that moment the device still works for steps before.
  const TimePs earlier_end =
      first == works_.begin() ? window.host_begin : std::max(window.host_begin, (first - 1)->latest_end);
  if (first != last && earlier_end < window.end) window.begin = earlier_end;
}

namespace {

/// `noun` and `suffix` of the sentence: "step", "decode step" and " with 16 requests".
TypicalStep median_step(std::span<const TimePs> spans, const std::string& noun, const std::string& suffix) {
  std::vector<std::size_t> order;
  // The first step often pays for warming up, and the recording may have begun or ended within an outer one.
  const std::size_t skip = spans.size() > 2 ? 1 : 0;
  for (std::size_t i = skip; i + skip < spans.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return spans[a] < spans[b]; });
  // The lower median is a step that happened; a mean of two is none.
  return {order[(order.size() - 1) / 2],
          (spans.size() == 1   ? "the only " + noun
           : order.size() == 1 ? "the inner one of 3 " + noun + "s"
                               : "the median of " + report::counted(order.size(), (skip != 0 ? "inner " : "") + noun)) +
              suffix};
}

}  // namespace

TypicalStep typical_step(std::span<const TimePs> spans) { return median_step(spans, "step", ""); }

TypicalStep typical_step(const trace::Trace& trace, std::span<const TimePs> spans,
                         std::span<const std::string_view> names) {
  std::map<std::pair<StepPhase, std::optional<std::int64_t>>, std::vector<std::size_t>> sorts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (const std::optional<StepName> name = step_name_in(trace, names[i]))
      sorts[{name->phase, name->requests}].push_back(i);
  }
  if (sorts.empty()) return typical_step(spans);
  // Of sorts that are equally frequent, the one that came first.
  const auto most = std::max_element(sorts.begin(), sorts.end(), [](const auto& a, const auto& b) {
    return a.second.size() != b.second.size() ? a.second.size() < b.second.size() : a.second.front() > b.second.front();
  });
  const auto& [phase, requests] = most->first;
  std::vector<TimePs> alike;
  for (const std::size_t i : most->second) alike.push_back(spans[i]);
  TypicalStep typical = median_step(alike, std::string(identifier(phase)) + " step",
                                    requests ? " with " + report::counted(*requests, "request") : "");
  typical.place = most->second[typical.place];
  return typical;
}

Result<StepWindow> choose_window(const trace::Trace& trace, const trace::RankTrace& rank,
                                 const DeviceTimeline& timeline, const trace::ContentOrder& content,
                                 const WindowRequest& request) {
  if (request.annotation && request.annotation->empty()) return whole_trace(trace, rank, timeline, content);
  std::vector<EventIndex> found =
      request.annotation ? find_annotated(trace, rank, content, *request.annotation) : find_steps(trace, rank, content);
  if (found.empty()) {
    if (!request.annotation && !request.first_instance) return whole_trace(trace, rank, timeline, content);
    return Error{"no host event's name contains \"" + request.annotation.value_or("ProfilerStep#") + "\"",
                 rank.source.path, Error::kNoOffset, "see the annotations with: orrery info"};
  }
  StepWindow window;
  std::size_t first = request.first_instance.value_or(0);
  std::size_t last = request.last_instance.value_or(first);
  if (!request.annotation && !request.first_instance) {
    std::vector<TimePs> spans;
    std::vector<std::string_view> names;
    for (const EventIndex event : found)
      spans.push_back(rank.duration[event]), names.push_back(trace.name(rank, event));
    TypicalStep typical = typical_step(trace, spans, names);
    first = last = typical.place;
    window.why = std::move(typical.why);
  }
  if (last >= found.size()) {
    return Error{"there are " + std::to_string(found.size()) + " matching events; instance " + std::to_string(last) +
                     " does not exist",
                 rank.source.path, Error::kNoOffset, "instances count from 0, by start"};
  }
  StepWindow chosen = StepWindows(trace, rank, timeline).of(std::span(found).subspan(first, last - first + 1));
  chosen.why = std::move(window.why);
  return chosen;
}

}  // namespace orrery::causal
