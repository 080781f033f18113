#include "analyze/path/step_spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analyze/path/causal_path.h"
#include "base/time_text.h"

namespace orrery::analyze {
namespace {

using trace::EventIndex;

/// How long each step takes. Empty if they overlap: such steps share their time, and have no spans of their own.
std::vector<TimePs> spans_of(const trace::RankTrace& rank, const causal::StepWindows& windows,
                             std::span<const EventIndex> steps) {
  std::vector<TimePs> spans;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i > 0 && rank.start[steps[i]] < rank.end(steps[i - 1])) return {};
    spans.push_back(windows.of(steps.subspan(i, 1)).span());
  }
  return spans;
}

}  // namespace

std::optional<StepSpread> spread_of(std::span<const TimePs> spans) {
  // The first and the last step are often warm-up and tail: they are left out where there are others.
  const std::size_t skip = spans.size() > 2 ? 1 : 0;
  const std::span<const TimePs> inner = spans.subspan(skip, spans.size() - 2 * skip);
  if (inner.size() < 2) return std::nullopt;

  StepSpread spread;
  spread.steps = inner.size();
  double sum = 0, squares = 0;
  for (const TimePs span : inner) sum += static_cast<double>(span);
  const double mean = sum / static_cast<double>(inner.size());
  for (const TimePs span : inner) squares += (static_cast<double>(span) - mean) * (static_cast<double>(span) - mean);
  spread.mean = static_cast<TimePs>(std::llround(mean));
  spread.deviation = static_cast<TimePs>(std::llround(std::sqrt(squares / static_cast<double>(inner.size()))));

  std::vector<std::size_t> order(inner.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return inner[a] < inner[b]; });
  const auto at = [&](std::size_t place) { return inner[order[place]]; };
  spread.least = at(0), spread.most = at(order.size() - 1);
  spread.tenth = at((order.size() - 1) / 10), spread.ninetieth = at(order.size() - 1 - (order.size() - 1) / 10);
  if (!spread.differ()) return spread;
  const auto first_long = std::partition_point(order.begin(), order.end(),
                                               [&](std::size_t i) { return static_cast<double>(inner[i]) <= mean; });
  // A typical one of the long steps: the middle of those above the mean.
  spread.long_step = *(first_long + (order.end() - first_long) / 2) + skip;
  return spread;
}

void describe_long_step(const causal::CausalGraph& step, StepSpread& spread) {
  spread.long_label = step.label;
  spread.long_span = step.span;
  spread.long_verdict = verdict(step, take_path(step, graph::solve(step.graph, step.end), 1, false).sums);
}

std::string steps_differ(const std::optional<StepSpread>& spread) {
  if (!spread || !spread->differ()) return "";
  std::string text = fmt::format("Steps differ: {} on average of {}, from {} to {}", format_duration(spread->mean),
                                 spread->steps, format_duration(spread->least), format_duration(spread->most));
  if (!spread->long_label.empty())
    text += fmt::format("; a long one ({}, {}): {}", spread->long_label, format_duration(spread->long_span),
                        spread->long_verdict);
  return text + ".";
}

std::optional<StepSpread> find_step_spread(const trace::Trace& trace, const trace::RankTrace& rank) {
  const trace::ContentOrder content(trace, rank);
  const std::vector<EventIndex> steps = causal::find_steps(trace, rank, content);
  if (steps.size() < 2) return std::nullopt;
  Diagnostics repeated;
  const causal::DeviceTimeline timeline = causal::make_device_timeline(trace, rank, content, repeated);
  const causal::StepWindows windows(trace, rank, timeline);
  std::optional<StepSpread> spread = spread_of(spans_of(rank, windows, steps));
  if (!spread || !spread->long_step) return spread;
  const EventIndex long_step = steps[*spread->long_step];
  const causal::StepWindow window = windows.of(std::span(&long_step, 1));
  // Whatever there is to remark is remarked for the step that is shown.
  Result<causal::RankGraph> graph = causal::make_rank_graph(trace, rank, timeline, content, window, repeated);
  if (graph) describe_long_step(causal::causal_graph_of(std::move(*graph)), *spread);
  return spread;
}

}  // namespace orrery::analyze
