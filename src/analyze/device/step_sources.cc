#include "analyze/device/step_sources.h"

#include "analyze/capture/graph_launches.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

// One source after the other, the one that says most about a step first; the first that finds any decides.

namespace orrery::analyze {
namespace {

using trace::Activity;
using trace::EventIndex;

constexpr std::size_t kFewestRepeats = 3;

std::vector<StepRange> ranges_of(const DeviceRank& devices, std::span<const EventIndex> events) {
  std::vector<StepRange> ranges;
  for (const EventIndex e : events)
    ranges.push_back({devices.rank->start[e], devices.rank->end(e), devices.rank->name[e], 0});
  return ranges;
}

/// Begins of the calls that launched work, ascending, each once.
std::vector<TimePs> launch_times(const DeviceRank& devices) {
  std::vector<std::pair<TimePs, EventIndex>> calls;
  for (const causal::DeviceWork& work : devices.timeline.works) {
    if (work.call != causal::kNoEvent) calls.emplace_back(work.call_start, work.call);
  }
  std::sort(calls.begin(), calls.end());
  calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
  std::vector<TimePs> times;
  times.reserve(calls.size());
  for (const auto& [time, call] : calls) times.push_back(time);
  return times;
}

/// The ranges of one annotation, on whatever threads; the best of them are steps.
struct Repeated {
  std::string_view text;
  std::vector<EventIndex> events;  // by start
  std::size_t launches = 0;
  TimePs time = 0;
};

/// Whether no range begins in another; then its launches and time are counted.
bool measure_repeated(const DeviceRank& devices, std::span<const TimePs> launches, Repeated& repeated) {
  TimePs end_before = 0;
  for (std::size_t i = 0; i < repeated.events.size(); ++i) {
    const TimePs begin = devices.rank->start[repeated.events[i]], end = devices.rank->end(repeated.events[i]);
    if (i > 0 && begin < end_before) return false;
    end_before = end;
    repeated.time += end - begin;
    repeated.launches += static_cast<std::size_t>(std::lower_bound(launches.begin(), launches.end(), end) -
                                                  std::lower_bound(launches.begin(), launches.end(), begin));
  }
  return true;
}

std::vector<StepRange> repeated_annotation(const DeviceRank& devices) {
  const trace::RankTrace& rank = *devices.rank;
  std::map<StringId, Repeated> by_name;
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    if (rank.activity(e) == Activity::annotation && rank.has_duration(e) && rank.duration[e] > 0)
      by_name[rank.name[e]].events.push_back(e);
  }
  const std::vector<TimePs> launches = launch_times(devices);
  const Repeated* best = nullptr;
  for (auto& [name, repeated] : by_name) {
    if (repeated.events.size() < kFewestRepeats) continue;
    std::stable_sort(repeated.events.begin(), repeated.events.end(),
                     [&](EventIndex a, EventIndex b) { return devices.content.before(a, b); });
    repeated.text = devices.trace->strings.text(name);
    if (!measure_repeated(devices, launches, repeated) || repeated.launches * 2 <= launches.size()) continue;
    // Of annotations around the same launches the outermost is the step; by text, whatever the order of reading.
    const auto order = [](const Repeated& r) { return std::tuple(r.launches, r.time); };
    if (best == nullptr || order(repeated) > order(*best) ||
        (order(repeated) == order(*best) && repeated.text < best->text))
      best = &repeated;
  }
  return best == nullptr ? std::vector<StepRange>() : ranges_of(devices, best->events);
}

std::vector<StepRange> repeated_graphs(const DeviceRank& devices) {
  GraphLaunches found = find_graph_launches(*devices.trace, *devices.rank, devices.timeline);
  // Of several devices one after another, as the host called them.
  std::vector<GraphLaunch> calls = std::move(found.launches);
  std::sort(calls.begin(), calls.end(),
            [&](const GraphLaunch& a, const GraphLaunch& b) { return devices.content.before(a.call, b.call); });
  std::vector<std::uint32_t> graphs;
  graphs.reserve(calls.size());
  for (const GraphLaunch& call : calls) graphs.push_back(call.graph);
  const std::size_t period = shortest_period(graphs);
  // A sequence that did not come again says nothing: then each launch counts for itself.
  const std::size_t each = period * 2 <= calls.size() ? period : 1;
  std::vector<StepRange> ranges;
  for (std::size_t i = 0; i < calls.size(); i += each) {
    const EventIndex first = calls[i].call, last = calls[std::min(i + each, calls.size()) - 1].call;
    ranges.push_back({devices.rank->start[first], std::max(devices.rank->end(last), devices.rank->start[first] + 1),
                      devices.rank->name[first], 0});
  }
  return ranges;
}

/// Whether of the host at most calls of the runtime were recorded, which tell nothing about what belongs together.
bool is_of_devices_alone(const trace::RankTrace& rank) {
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    if (is_host_work(rank.activity(e)) && rank.activity(e) != Activity::runtime_call) return false;
  }
  return true;
}

FoundSteps repeated_works(const DeviceRank& devices) {
  FoundSteps found{.source = StepSource::sequence, .ranges = {}, .works_each = 0};
  if (!is_of_devices_alone(*devices.rank)) return found;
  const auto& works = devices.timeline.works;
  std::map<std::pair<std::uint16_t, StringId>, std::uint32_t> numbers;
  std::vector<std::uint32_t> sequence;
  for (const causal::DeviceWork& work : works) {
    const std::pair what(devices.rank->category[work.event], devices.rank->name[work.event]);
    sequence.push_back(numbers.try_emplace(what, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  const std::size_t period = shortest_period(sequence);
  // Only what covers all of the work: a rest would be a step that nobody knows the end of.
  if (period == 0 || period == works.size() || works.size() % period != 0) return found;
  found.works_each = period;
  for (std::size_t first = 0; first < works.size(); first += period) {
    const std::size_t next = first + period;
    const TimePs end = next < works.size() ? works[next].start : works[devices.timeline.by_end.back()].end;
    found.ranges.push_back({works[first].start, end, std::nullopt, static_cast<std::uint32_t>(first)});
  }
  return found;
}

/// What JAX numbers is an engine's step where its name says what it does.
bool tells_phase(const DeviceRank& devices, std::span<const EventIndex> steps) {
  return std::any_of(steps.begin(), steps.end(), [&](EventIndex e) {
    return causal::parse_numbered_step(devices.trace->name(*devices.rank, e)).has_value() &&
           devices.rank->field(trace::Field::step).find(e).has_value();
  });
}

}  // namespace

const char* identifier(StepSource source) {
  static constexpr const char* kNames[] = {"engine", "profiler", "annotation", "graph", "sequence"};
  return kNames[static_cast<std::size_t>(source)];
}

std::size_t shortest_period(std::span<const std::uint32_t> sequence) {
  std::vector<std::size_t> border(sequence.size(), 0);
  for (std::size_t i = 1; i < sequence.size(); ++i) {
    std::size_t length = border[i - 1];
    while (length > 0 && sequence[i] != sequence[length]) length = border[length - 1];
    border[i] = sequence[i] == sequence[length] ? length + 1 : 0;
  }
  return sequence.empty() ? 0 : sequence.size() - border.back();
}

FoundSteps find_step_ranges(const DeviceRank& devices) {
  const auto found = [&](StepSource source, std::vector<StepRange> ranges) {
    return FoundSteps{.source = source, .ranges = std::move(ranges), .works_each = 0};
  };
  const std::vector<EventIndex> named = causal::find_engine_steps(*devices.trace, *devices.rank, devices.content);
  if (!named.empty()) return found(StepSource::engine, ranges_of(devices, named));
  const std::vector<EventIndex> steps = causal::find_steps(*devices.trace, *devices.rank, devices.content);
  if (!steps.empty())
    return found(tells_phase(devices, steps) ? StepSource::engine : StepSource::profiler, ranges_of(devices, steps));
  if (auto ranges = repeated_annotation(devices); !ranges.empty())
    return found(StepSource::annotation, std::move(ranges));
  if (auto ranges = repeated_graphs(devices); !ranges.empty()) return found(StepSource::graph, std::move(ranges));
  return repeated_works(devices);
}

}  // namespace orrery::analyze
