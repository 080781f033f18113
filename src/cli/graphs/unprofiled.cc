#include "cli/graphs/unprofiled.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::cli {
namespace {

constexpr DiagnosticKind kNotExplained{
    "W403", Severity::warning, "what recording costs does not explain the step time without a profiler",
    "the graph alone is no shorter, or an event would have to cost more than 20 µs; was it another run?"};

}  // namespace

Flag unprofiled_flag() {
  return {.name = "unprofiled",
          .value_name = "TIME",
          .kind = ValueKind::duration,
          .help =
              "what a step takes without the profiler (19.6ms), from your own log: what recording costs is found and "
              "taken off",
          .group = "Window"};
}

std::optional<Unprofiled> take_profiler_off(Invocation& invocation, causal::CausalGraph& job) {
  if (!invocation.has("unprofiled")) return std::nullopt;
  const TimePs wanted =
      invocation.duration("unprofiled") * static_cast<TimePs>(std::max<std::size_t>(job.steps.size(), 1));
  const analyze::RecordedEvents events(job);
  const Unprofiled result{job.span, events.count(), analyze::find_profiler_cost(job.graph, job.end, events, wanted)};
  if (!result.cost.explains) {
    invocation.diagnostics().add(kNotExplained, [&] {
      return fmt::format("{} of {}, with {} per event", format_duration(result.cost.length), format_duration(wanted),
                         format_duration(result.cost.per_event));
    });
  }
  job = analyze::without_profiler(std::move(job), result.cost.per_event);
  return result;
}

std::string unprofiled_line(const std::optional<Unprofiled>& unprofiled) {
  if (!unprofiled) return {};
  return fmt::format("Without the profiler: {} of the recorded {}; each of {} recorded host events cost {}.\n",
                     format_duration(unprofiled->cost.length), format_duration(unprofiled->recorded),
                     format_count(unprofiled->events), format_duration(unprofiled->cost.per_event));
}

void write_unprofiled_json(JsonWriter& json, const std::optional<Unprofiled>& unprofiled) {
  if (!unprofiled) return;
  json.key("unprofiled").begin_object();
  json.field("recorded_us", to_us(unprofiled->recorded)).field("length_us", to_us(unprofiled->cost.length));
  json.field("events", unprofiled->events)
      .field("per_event_us", to_us(unprofiled->cost.per_event))
      .field("explains", unprofiled->cost.explains);
  json.end_object();
}

}  // namespace orrery::cli
