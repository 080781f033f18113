#include "job/recorded_job.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/parallel.h"
#include "causal/device/device_timeline.h"
#include "job/common_steps.h"
#include "trace/content_order.h"

// Clocks first, since everything else compares times of different ranks; then the device timeline of each rank, side by
// side. Windows are asked for later: steps that all ranks have are matched by their keys, and the graphs of the ranks
// are joined by what they exchanged.

namespace orrery::job {

using trace::EventIndex;

struct RecordedJob::State {
  trace::Trace trace;
  std::vector<trace::ContentOrder> content;
  std::vector<causal::DeviceTimeline> timelines;
  JobClocks clocks;
};

RecordedJob::RecordedJob(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecordedJob::RecordedJob(RecordedJob&&) noexcept = default;
RecordedJob& RecordedJob::operator=(RecordedJob&&) noexcept = default;
RecordedJob::~RecordedJob() = default;

const trace::Trace& RecordedJob::trace() const { return state_->trace; }
trace::Trace RecordedJob::take_trace() && { return std::move(state_->trace); }
const std::vector<causal::DeviceTimeline>& RecordedJob::timelines() const { return state_->timelines; }
const match::Exchanges& RecordedJob::exchanges() const { return state_->clocks.exchanges; }
const JobClocks& RecordedJob::clocks() const { return state_->clocks; }

Result<RecordedJob> RecordedJob::make(trace::Trace trace, ClockChoice choice, Diagnostics& diagnostics) {
  if (trace.ranks.empty())
    return Error{"there is no rank in these files", {}, Error::kNoOffset, "see what is in them with: orrery info"};
  auto state = std::make_unique<State>();
  state->trace = std::move(trace);
  Result<JobClocks> clocks = use_clocks(state->trace, choice, diagnostics);
  if (!clocks) return clocks.error();
  state->clocks = std::move(*clocks);
  const std::size_t ranks = state->trace.ranks.size();
  for (const trace::RankTrace& rank : state->trace.ranks) state->content.emplace_back(state->trace, rank);
  state->timelines.resize(ranks);
  std::vector<Diagnostics> remarks(ranks);
  parallel_for(ranks, [&](std::size_t r) {
    state->timelines[r] =
        causal::make_device_timeline(state->trace, state->trace.ranks[r], state->content[r], remarks[r]);
  });
  // In the order of ranks, whichever thread was first.
  for (const Diagnostics& remark : remarks) diagnostics.merge(remark);
  return RecordedJob(std::move(state));
}

TimePs JobWindow::span() const {
  TimePs begin = std::numeric_limits<TimePs>::max(), end = std::numeric_limits<TimePs>::min();
  for (const causal::StepWindow& rank : ranks) begin = std::min(begin, rank.begin), end = std::max(end, rank.end);
  return end - begin;
}

Result<std::vector<JobWindow>> RecordedJob::steps(const std::optional<std::string>& annotation,
                                                  Diagnostics& diagnostics) const {
  const trace::Trace& trace = state_->trace;
  const std::size_t ranks = trace.ranks.size();
  std::vector<std::map<std::string, EventIndex>> by_key(ranks);
  std::vector<std::vector<std::string>> keys(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::vector<EventIndex> events = find_steps(trace, trace.ranks[r], state_->content[r], annotation);
    keys[r] = step_keys(trace, trace.ranks[r], events);
    // A key that comes twice on a rank stands for the first of its events.
    for (std::size_t i = 0; i < keys[r].size(); ++i) by_key[r].emplace(keys[r][i], events[i]);
  }
  const Result<std::vector<std::string>> common = common_steps(trace, keys, diagnostics);
  if (!common) return common.error();
  const std::vector<std::string>& order = *common;
  std::vector<JobWindow> windows(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t r = 0; r < ranks; ++r) windows[i].step_events.push_back({by_key[r].at(order[i])});
  }
  for (JobWindow& window : windows) window.ranks.resize(ranks);
  parallel_for(ranks, [&](std::size_t r) {
    const causal::StepWindows of_rank(trace, trace.ranks[r], state_->timelines[r]);
    for (JobWindow& window : windows) window.ranks[r] = of_rank.of(window.step_events[r]);
  });
  return windows;
}

Result<JobWindow> RecordedJob::whole_window() const {
  const trace::Trace& trace = state_->trace;
  // Remarks on steps are of no interest to whoever asks for everything.
  Diagnostics unsaid;
  const Result<std::vector<JobWindow>> common = steps(std::nullopt, unsaid);
  JobWindow window;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    Result<causal::StepWindow> whole =
        causal::choose_window(trace, trace.ranks[r], state_->timelines[r], state_->content[r], {"", {}, {}});
    if (!whole) return whole.error();
    // Steps that not all ranks have would make steps of the job that nobody could compare.
    whole->steps.clear();
    for (std::size_t i = 0; common && i < common->size(); ++i)
      whole->steps.push_back((*common)[i].ranks[r].steps.front());
    window.ranks.push_back(std::move(*whole));
  }
  return window;
}

Result<JobWindow> RecordedJob::window(const JobWindowRequest& request, Diagnostics& diagnostics) const {
  const trace::Trace& trace = state_->trace;
  if (request.is_whole()) return whole_window();
  const Result<std::vector<JobWindow>> found = steps(request.annotation, diagnostics);
  if (!found) return found.error();
  const std::vector<JobWindow>& steps_in_common = *found;
  if (steps_in_common.empty()) {
    // Without steps the whole recording is the answer, unless a particular one was asked for.
    if (request.annotation || request.first_instance)
      return no_such_step(request.annotation, trace.ranks.front().source.path);
    return whole_window();
  }
  JobWindow window;
  std::size_t first = request.first_instance.value_or(0);
  std::size_t last = request.last_instance.value_or(request.first_instance ? first : steps_in_common.size() - 1);
  std::string why;
  if (request.compares_steps()) {
    for (const JobWindow& step : steps_in_common) window.step_spans.push_back(step.span());
  }
  if (request.asks_typical()) {
    std::vector<std::string_view> names;
    names.reserve(steps_in_common.size());
    for (const JobWindow& step : steps_in_common) names.emplace_back(step.ranks.front().label);
    causal::TypicalStep typical = causal::typical_step(trace, window.step_spans, names);
    first = last = typical.place;
    why = std::move(typical.why);
  } else if (!request.first_instance && request.typical) {
    // Ranges of an annotation may be of different sorts and are not compared: the first one.
    last = first;
  }
  if (last >= steps_in_common.size())
    return no_such_instance(steps_in_common.size(), last, trace.ranks.front().source.path);
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    std::vector<EventIndex> events;
    for (std::size_t i = first; i <= last; ++i) events.push_back(steps_in_common[i].step_events[r].front());
    window.ranks.push_back(causal::StepWindows(trace, trace.ranks[r], state_->timelines[r]).of(events));
    window.ranks.back().why = why;
    window.step_events.push_back(std::move(events));
  }
  return window;
}

Result<causal::CausalGraph> RecordedJob::graph(const JobWindow& window, const causal::JoinOptions& options,
                                               Diagnostics& diagnostics) const {
  const trace::Trace& trace = state_->trace;
  const std::size_t ranks = trace.ranks.size();
  if (const Status same = check_same_time(window.ranks); !same) return same.error();
  std::vector<causal::RankGraph> to_join(ranks);
  std::vector<Diagnostics> remarks(ranks);
  std::vector<std::optional<Error>> errors(ranks);
  parallel_for(ranks, [&](std::size_t r) {
    Result<causal::RankGraph> step = causal::make_rank_graph(trace, trace.ranks[r], state_->timelines[r],
                                                             state_->content[r], window.ranks[r], remarks[r]);
    if (!step) errors[r] = step.error();
    else to_join[r] = std::move(*step);
  });
  for (std::size_t r = 0; r < ranks; ++r) {
    // The first error by rank, not by time.
    if (errors[r]) return *errors[r];
    diagnostics.merge(remarks[r]);
  }
  Result<causal::CausalGraph> job =
      causal::join_ranks(trace, state_->clocks.exchanges, std::move(to_join), options, diagnostics);
  if (!job) return job.error();
  state_->clocks.describe(*job);
  return job;
}

}  // namespace orrery::job
