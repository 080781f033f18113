#include "ask/graphs/unprofiled.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::ask {
namespace {

constexpr DiagnosticKind kNotExplained{
    "W403", Severity::warning, "what recording costs does not explain the step time without a profiler",
    "the graph alone is no shorter, or an event would have to cost more than 20 µs; was it another run?"};

}  // namespace

std::optional<Unprofiled> take_profiler_off(Context& context, std::optional<TimePs> step, causal::CausalGraph& job) {
  if (!step) return std::nullopt;
  const TimePs wanted = *step * static_cast<TimePs>(std::max<std::size_t>(job.steps.size(), 1));
  const analyze::RecordingCost cost(job);
  const Unprofiled result{job.span, cost.events(), cost.per_event(), analyze::calibrate(cost, wanted)};
  if (!result.cost.explains) {
    context.diagnostics().add(kNotExplained, [&] {
      return fmt::format("{} of {}, with {} per event", format_duration(result.cost.length), format_duration(wanted),
                         format_duration(result.per_event));
    });
  }
  const auto savings = cost.savings(result.cost.share);
  job = analyze::without_recorder(std::move(job), savings);
  return result;
}

void tell_unprofiled(report::Answer& answer, const std::optional<Unprofiled>& unprofiled) {
  if (!unprofiled) return;
  answer.line(fmt::format("Without the profiler: {} of the recorded {}; each of {} recorded host events cost {}.",
                          format_duration(unprofiled->cost.length), format_duration(unprofiled->recorded),
                          format_count(unprofiled->events), format_duration(unprofiled->per_event)));
  answer.facts()
      .key("unprofiled")
      .begin_object()
      .field("recorded_us", to_us(unprofiled->recorded))
      .field("length_us", to_us(unprofiled->cost.length))
      .field("events", unprofiled->events)
      .field("per_event_us", to_us(unprofiled->per_event))
      .field("explains", unprofiled->cost.explains)
      .end_object();
}

}  // namespace orrery::ask
