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

struct Work {
  TimePs attributed_at;
  TimePs end;
};

/// How long each step takes, as windows are: see causal::StepWindow. Empty if they overlap.
std::vector<TimePs> spans_of(const trace::RankTrace& rank, const causal::DeviceTimeline& timeline,
                             const std::vector<EventIndex>& steps) {
  std::vector<Work> works;
  for (const causal::DeviceWork& work : timeline.works) works.push_back({causal::attributed_at(work), work.end});
  std::sort(works.begin(), works.end(), [](const Work& a, const Work& b) { return a.attributed_at < b.attributed_at; });
  std::vector<TimePs> spans;
  TimePs earlier_end = works.empty() ? 0 : works.front().end, host_end_before = rank.start[steps.front()];
  auto work = works.begin();
  for (const EventIndex step : steps) {
    const TimePs host_begin = rank.start[step], host_end = rank.end(step);
    // Steps that overlap share their time, and have no spans of their own.
    if (host_begin < host_end_before) return {};
    for (; work != works.end() && work->attributed_at < host_begin; ++work)
      earlier_end = std::max(earlier_end, work->end);
    TimePs begin = host_begin, end = host_end;
    const TimePs done_before = work == works.begin() ? host_begin : std::max(host_begin, earlier_end);
    bool launches = false;
    for (; work != works.end() && work->attributed_at < host_end; ++work) {
      launches = true;
      end = std::max(end, work->end), earlier_end = std::max(earlier_end, work->end);
    }
    if (launches && done_before < end) begin = done_before;
    spans.push_back(end - begin);
    host_end_before = host_end;
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
  std::optional<StepSpread> spread = spread_of(spans_of(rank, timeline, steps));
  if (!spread || !spread->long_step) return spread;
  const EventIndex long_step = steps[*spread->long_step];
  const causal::StepWindow window = causal::window_of(trace, rank, timeline, std::span(&long_step, 1));
  // Whatever there is to remark is remarked for the step that is shown.
  Result<causal::RankGraph> graph = causal::make_rank_graph(trace, rank, timeline, content, window, repeated);
  if (graph) describe_long_step(causal::causal_graph_of(std::move(*graph)), *spread);
  return spread;
}

}  // namespace orrery::analyze
