#include "job/recorded_job.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "align/alignment.h"
#include "base/parallel.h"
#include "formats/kineto/alignment_member.h"
#include "link/device_timeline.h"
#include "match/exchange_finder.h"
#include "trace/content_order.h"

namespace orrery::job {
namespace {

using trace::EventIndex;

constexpr DiagnosticKind kClocksEstimated{"J804", Severity::note, "clocks were estimated here and corrected",
                                          "give aligned files, or --clock one if they share a clock"};
constexpr DiagnosticKind kClocksUnknown{"J805", Severity::warning, "nothing tells how the clocks of the ranks differ",
                                        "times were taken as recorded; waits have no band"};
constexpr DiagnosticKind kStepsNotCommon{"J807", Severity::warning, "steps that not all ranks recorded", "they were left out"};

/// Recordings of one run overlap, but for clocks that are off: by ten minutes no clock of a cluster is.
constexpr TimePs kFarApart = TimePs{600} * 1'000'000 * kPsPerUs;
constexpr TimePs kUnknownBand = -1;

Error of_other_runs(const std::string& what) {
  return {what, {}, Error::kNoOffset, "these look like files of different runs; name those of one run"};
}

/// The clock by which the file says it was corrected; nothing if it was not.
std::optional<trace::Clock> correction_of(const trace::RankTrace& rank) {
  for (const auto& [key, json] : rank.source.properties) {
    if (key != kineto::kAlignmentMember) continue;
    Result<kineto::AlignmentMember> member = kineto::decode(json, rank.source.path);
    if (member) return std::move(member->clock);
  }
  return std::nullopt;
}

/// Where the rank's recording begins and ends.
std::pair<TimePs, TimePs> extent_of(const trace::RankTrace& rank) {
  TimePs begin = std::numeric_limits<TimePs>::max(), end = std::numeric_limits<TimePs>::min();
  for (EventIndex e = 0; e < rank.event_count(); ++e) begin = std::min(begin, rank.start[e]), end = std::max(end, rank.end(e));
  return {begin, end};
}

/// Whether the largest correction that the estimate makes is more than it may be wrong.
bool exceeds_band(const align::Alignment& alignment, const trace::Trace& trace) {
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const auto [begin, end] = extent_of(trace.ranks[r]);
    if (begin > end) continue;
    for (const trace::Clock* clock : {&alignment.nodes[r].host, &alignment.nodes[r].tracer}) {
      for (const TimePs t : {begin, begin + (end - begin) / 2, end}) {
        const TimePs correction = clock->map(t) - t;
        if (std::max(correction, -correction) > clock->uncertainty(t)) return true;
      }
    }
  }
  return false;
}

/// What tells the steps of a rank apart: their names, or where several have one name, also which of them it is.
std::vector<std::string> step_keys(const trace::Trace& trace, const trace::RankTrace& rank, std::span<const EventIndex> events) {
  std::map<std::string_view, std::size_t> times;
  std::vector<std::string> keys;
  for (const EventIndex event : events) {
    const std::string_view name = trace.name(rank, event);
    const auto number = rank.field(trace::Field::step).find(event);
    // A number that the recorder gives counts where the name has none: a rank may have begun to record later than the others.
    if (number) keys.push_back(std::string(name) + "\n" + std::to_string(*number));
    else keys.push_back(std::string(name) + "\n" + std::to_string(times[name]++));
  }
  return keys;
}

}  // namespace

struct RecordedJob::State {
  trace::Trace trace;
  match::Exchanges exchanges;
  std::vector<trace::ContentOrder> content;
  std::vector<link::DeviceTimeline> timelines;
  link::ClockSource clock = link::ClockSource::one;
  bool was_corrected_here = false;
  TimePs band = 0;
  std::vector<trace::Clock> corrections;  // as Trace::ranks: from recorded to common time, with how far it may be off; empty: none

  Status use_clocks(ClockChoice choice, Diagnostics& diagnostics);
  Status estimate_clocks(ClockChoice choice, Diagnostics& diagnostics);
};

Status RecordedJob::State::use_clocks(ClockChoice choice, Diagnostics& diagnostics) {
  for (const trace::RankTrace& rank : trace.ranks) {
    if (rank.era_ns != 0 && choice == ClockChoice::one)
      return of_other_runs("the clocks of rank " + std::to_string(trace.ranks.front().rank) + " and " + std::to_string(rank.rank) +
                           " are years apart, and not one");
  }
  if (choice == ClockChoice::one) {
    exchanges = match::find_exchanges(trace);
    return {};
  }
  if (choice == ClockChoice::automatic) {
    for (const trace::RankTrace& rank : trace.ranks) {
      std::optional<trace::Clock> correction = correction_of(rank);
      if (!correction) break;
      corrections.push_back(std::move(*correction));
    }
    if (corrections.size() == trace.ranks.size()) {
      clock = link::ClockSource::aligned;
      exchanges = match::find_exchanges(trace);
      return {};
    }
    corrections.clear();
  }
  return estimate_clocks(choice, diagnostics);
}

Status RecordedJob::State::estimate_clocks(ClockChoice choice, Diagnostics& diagnostics) {
  align::take_era_of(trace.ranks.front().rank, trace);
  Result<align::Alignment> alignment = align::align(trace, {}, {}, diagnostics);
  if (!alignment) return alignment.error();
  exchanges = std::move(alignment->exchanges);
  if (!alignment->calibrated) {
    clock = link::ClockSource::recorded;
    band = kUnknownBand;
    diagnostics.add(kClocksUnknown);
    return {};
  }
  const bool corrects = choice == ClockChoice::align || exceeds_band(*alignment, trace);
  clock = corrects ? link::ClockSource::aligned : link::ClockSource::recorded;
  for (const align::NodeAlignment& node : alignment->nodes) corrections.push_back(node.host);
  if (!corrects) return {};
  align::apply(*alignment, trace);
  was_corrected_here = true;
  diagnostics.add(kClocksEstimated);
  return {};
}

RecordedJob::RecordedJob(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecordedJob::RecordedJob(RecordedJob&&) noexcept = default;
RecordedJob& RecordedJob::operator=(RecordedJob&&) noexcept = default;
RecordedJob::~RecordedJob() = default;

const trace::Trace& RecordedJob::trace() const { return state_->trace; }
const match::Exchanges& RecordedJob::exchanges() const { return state_->exchanges; }

Result<RecordedJob> RecordedJob::make(trace::Trace trace, ClockChoice choice, Diagnostics& diagnostics) {
  if (trace.ranks.empty()) return Error{"there is no rank in these files", {}, Error::kNoOffset, "see what is in them with: orrery info"};
  for (std::size_t r = 1; r < trace.ranks.size(); ++r) {
    if (trace.ranks[r].rank != trace.ranks[r - 1].rank) continue;
    return Error{"two files are of rank " + std::to_string(trace.ranks[r].rank) + ": " + trace.ranks[r - 1].source.path,
                 trace.ranks[r].source.path, Error::kNoOffset, "name the files of one run, one per rank"};
  }
  auto state = std::make_unique<State>();
  state->trace = std::move(trace);
  if (Status used = state->use_clocks(choice, diagnostics); !used) return used.error();
  const std::size_t ranks = state->trace.ranks.size();
  for (const trace::RankTrace& rank : state->trace.ranks) state->content.emplace_back(state->trace, rank);
  state->timelines.resize(ranks);
  std::vector<Diagnostics> remarks(ranks);
  parallel_for(ranks, [&](std::size_t r) {
    state->timelines[r] = link::make_device_timeline(state->trace, state->trace.ranks[r], state->content[r], remarks[r]);
  });
  for (const Diagnostics& remark : remarks) diagnostics.merge(remark);
  return RecordedJob(std::move(state));
}

TimePs JobWindow::span() const {
  TimePs begin = std::numeric_limits<TimePs>::max(), end = std::numeric_limits<TimePs>::min();
  for (const link::StepWindow& rank : ranks) begin = std::min(begin, rank.begin), end = std::max(end, rank.end);
  return end - begin;
}

Result<std::vector<JobWindow>> RecordedJob::steps(const std::optional<std::string>& annotation, Diagnostics& diagnostics) const {
  const trace::Trace& trace = state_->trace;
  const std::size_t ranks = trace.ranks.size();
  std::vector<std::map<std::string, EventIndex>> by_key(ranks);
  std::vector<std::string> order;  // of the first rank
  std::set<std::string> all;
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::vector<EventIndex> events = annotation ? link::find_annotated(trace, trace.ranks[r], state_->content[r], *annotation)
                                                      : link::find_steps(trace, trace.ranks[r], state_->content[r]);
    const std::vector<std::string> keys = step_keys(trace, trace.ranks[r], events);
    for (std::size_t i = 0; i < keys.size(); ++i) by_key[r].emplace(keys[i], events[i]);
    all.insert(keys.begin(), keys.end());
    if (r == 0) order = keys;
  }
  if (all.empty()) return std::vector<JobWindow>{};
  std::erase_if(order, [&](const std::string& key) {
    return std::any_of(by_key.begin(), by_key.end(), [&](const auto& rank) { return !rank.contains(key); });
  });
  if (order.empty()) return of_other_runs("the ranks have no step in common");
  if (all.size() != order.size()) diagnostics.add_many(kStepsNotCommon, all.size() - order.size(), {});
  std::vector<JobWindow> windows(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t r = 0; r < ranks; ++r) windows[i].step_events.push_back({by_key[r].at(order[i])});
  }
  for (JobWindow& window : windows) {
    for (std::size_t r = 0; r < ranks; ++r)
      window.ranks.push_back(link::window_of(trace, trace.ranks[r], state_->timelines[r], window.step_events[r]));
  }
  return windows;
}

Result<JobWindow> RecordedJob::window(const JobWindowRequest& request, Diagnostics& diagnostics) const {
  const trace::Trace& trace = state_->trace;
  const bool is_whole = request.annotation && request.annotation->empty();
  std::vector<JobWindow> steps_in_common;
  if (!is_whole) {
    Result<std::vector<JobWindow>> found = steps(request.annotation, diagnostics);
    if (!found) return found.error();
    steps_in_common = std::move(*found);
    if (steps_in_common.empty() && (request.annotation || request.first_instance))
      return Error{"no host event's name contains \"" + request.annotation.value_or("ProfilerStep#") + "\"",
                   trace.ranks.front().source.path, Error::kNoOffset, "see the annotations with: orrery info"};
  }
  JobWindow window;
  if (steps_in_common.empty()) {
    for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
      Result<link::StepWindow> whole = link::choose_window(trace, trace.ranks[r], state_->timelines[r], state_->content[r], {"", {}, {}});
      if (!whole) return whole.error();
      window.ranks.push_back(std::move(*whole));
    }
    return window;
  }
  std::size_t first = request.first_instance.value_or(0);
  std::size_t last = request.last_instance.value_or(request.first_instance ? first : steps_in_common.size() - 1);
  std::string why;
  if (!request.first_instance && request.typical && !request.annotation) {
    // The first and the last often carry the profiler's own start and stop.
    std::vector<std::size_t> order;
    const std::size_t skip = steps_in_common.size() > 2 ? 1 : 0;
    for (std::size_t i = skip; i + skip < steps_in_common.size(); ++i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return steps_in_common[a].span() < steps_in_common[b].span(); });
    first = last = order[(order.size() - 1) / 2];
    why = steps_in_common.size() == 1 ? "the only step"
                                      : "the median of " + std::to_string(order.size()) + (skip != 0 ? " inner steps" : " steps");
  } else if (!request.first_instance && request.typical) {
    last = first;
  }
  if (last >= steps_in_common.size())
    return Error{"there are " + std::to_string(steps_in_common.size()) + " matching events on all ranks; instance " + std::to_string(last) +
                     " does not exist",
                 trace.ranks.front().source.path, Error::kNoOffset, "instances count from 0, by start"};
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    std::vector<EventIndex> events;
    for (std::size_t i = first; i <= last; ++i) events.push_back(steps_in_common[i].step_events[r].front());
    window.ranks.push_back(link::window_of(trace, trace.ranks[r], state_->timelines[r], events));
    window.ranks.back().why = why;
    window.step_events.push_back(std::move(events));
  }
  return window;
}

Result<link::JobGraph> RecordedJob::graph(const JobWindow& window, const link::JoinOptions& options, Diagnostics& diagnostics) const {
  const trace::Trace& trace = state_->trace;
  const std::size_t ranks = trace.ranks.size();
  TimePs latest_begin = std::numeric_limits<TimePs>::min(), first_end = std::numeric_limits<TimePs>::max();
  for (const link::StepWindow& rank : window.ranks)
    latest_begin = std::max(latest_begin, rank.begin), first_end = std::min(first_end, rank.end);
  if (latest_begin - first_end > kFarApart) return of_other_runs("the recordings of some ranks are more than ten minutes apart");
  std::vector<link::RankToJoin> to_join(ranks);
  std::vector<Diagnostics> remarks(ranks);
  std::vector<std::optional<Error>> errors(ranks);
  parallel_for(ranks, [&](std::size_t r) {
    Result<link::StepGraph> step =
        link::make_step_graph(trace, trace.ranks[r], state_->timelines[r], state_->content[r], window.ranks[r], remarks[r]);
    if (!step) errors[r] = step.error();
    else to_join[r].step = std::move(*step);
    if (!window.step_events.empty()) to_join[r].step_events = window.step_events[r];
  });
  for (std::size_t r = 0; r < ranks; ++r) {
    if (errors[r]) return *errors[r];
    diagnostics.merge(remarks[r]);
  }
  Result<link::JobGraph> job = link::join_ranks(trace, state_->exchanges, std::move(to_join), options, diagnostics);
  if (!job) return job.error();
  job->clock = state_->clock;
  job->band = state_->band;
  if (state_->corrections.empty()) return job;
  std::vector<trace::Clock> readings;
  for (const trace::Clock& correction : state_->corrections) readings.push_back(correction.inverse());
  for (std::size_t r = 0; r < ranks && state_->was_corrected_here; ++r) job->ranks[r].recorded = readings[r];
  for (link::JobPart& part : job->parts) {
    const TimePs at = job->time[part.arrival] + job->begin_ps;
    // What the correction takes is a reading; times that were not corrected are readings themselves.
    part.uncertainty = state_->corrections[part.rank].uncertainty(state_->was_corrected_here ? readings[part.rank].map(at) : at);
    job->band = std::max(job->band, part.uncertainty);
  }
  return job;
}

}  // namespace orrery::job
