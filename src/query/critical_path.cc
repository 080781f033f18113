#include "query/critical_path.h"

#include <algorithm>
#include <utility>

#include "analyze/job_path.h"
#include "graph/slack.h"
#include "trace/ordinal_index.h"

namespace orrery::query {
namespace {

// As many as `orrery path` shows.
constexpr std::size_t kContributors = 10;

Result<link::JobGraph> make_job_graph(const Recording& recording) {
  job::JobWindowRequest request = recording.window;
  request.typical = true;
  const Result<job::JobWindow> window = recording.job->window(request, recording.remarks);
  if (!window) return window.error();
  Result<link::JobGraph> job = recording.job->graph(*window, {}, recording.remarks);
  if (!job) return job.error();
  if (job->operations.empty()) {
    return Error{"nothing joins these ranks: no collective or message of theirs was found, so they have no path in common",
                 {},
                 Error::kNoOffset,
                 "ask about the path of one rank"};
  }
  return job;
}

}  // namespace

Result<CriticalPath> CriticalPath::make(const Recording& recording, const EventNumbers& numbers) {
  std::optional<link::StepGraph> step;
  std::optional<link::JobGraph> job;
  std::optional<analyze::StepPath> sums;
  if (recording.job != nullptr) {
    Result<link::JobGraph> made = make_job_graph(recording);
    if (!made) return made.error();
    job = std::move(*made);
    sums = analyze::take_path(*job, graph::solve(job->graph, job->end), kContributors, true).sums;
  } else {
    if (recording.trace.ranks.empty()) return Error{"there is no rank in these files"};
    const link::WindowRequest request{recording.window.annotation, recording.window.first_instance, recording.window.last_instance};
    Result<link::StepGraph> made = link::make_step_graph(recording.trace, recording.trace.ranks.front(), request, recording.remarks);
    if (!made) return made.error();
    step = std::move(*made);
    sums = analyze::take_path(*step, graph::solve(step->graph, step->end), kContributors, true);
  }
  CriticalPath path(std::move(step), std::move(job), std::move(*sums));
  path.find_events(recording, numbers);
  path.sum_events(numbers.count());
  return path;
}

CriticalPath::CriticalPath(std::optional<link::StepGraph> step, std::optional<link::JobGraph> job, analyze::StepPath sums)
    : step_(std::move(step)), job_(std::move(job)), sums_(std::move(sums)) {
  slack_ = graph::Slack(sums_.solution).edges();
  on_path_.assign(graph().edge_count(), 0);
  for (const graph::Slot slot : sums_.path.slots) on_path_[slot] = 1;
}

void CriticalPath::find_events(const Recording& recording, const EventNumbers& numbers) {
  if (step_) {
    for (const trace::EventIndex event : step_->owner_events) event_of_owner_.push_back(numbers.first(0) + event);
    return;
  }
  event_of_owner_.assign(job_->owners.size(), kNoEventId);
  for (std::size_t r = 0; r < job_->ranks.size(); ++r) {
    const trace::OrdinalIndex events(recording.trace.ranks[r]);
    const std::size_t end = r + 1 < job_->ranks.size() ? job_->ranks[r + 1].first_owner : job_->owners.size();
    for (std::size_t owner = job_->ranks[r].first_owner; owner < end; ++owner) {
      if (const auto event = events.find(job_->owners[owner].ordinal)) event_of_owner_[owner] = numbers.first(r) + *event;
    }
  }
}

void CriticalPath::sum_events(std::uint64_t events) {
  event_slack_.assign(events, graph::kUnlimited);
  critical_.assign(events, 0);
  for (graph::Slot slot = 0; slot < graph().edge_count(); ++slot) {
    const std::uint64_t owner = event(slot);
    if (owner == kNoEventId) continue;
    event_slack_[owner] = std::min(event_slack_[owner], slack_[slot]);
    critical_[owner] |= on_path_[slot];
  }
}

std::uint64_t CriticalPath::event(graph::Slot slot) const {
  const std::uint32_t tag = graph().edge_tag(slot);
  return tag == graph::kNoTag ? kNoEventId : event_of_owner_[tag];
}

std::string_view CriticalPath::name(graph::Slot slot) const {
  const std::uint32_t tag = graph().edge_tag(slot);
  if (tag == graph::kNoTag) return {};
  return strings().text(job_ ? job_->owners[tag].name : step_->owners[tag].name);
}

TimePs CriticalPath::start(graph::Slot slot) const {
  const graph::NodeId source = graph().source(slot);
  return job_ ? job_->begin_ps + job_->time[source] : step_->window.begin + step_->time[source];
}

std::optional<std::uint32_t> CriticalPath::rank(graph::Slot slot) const {
  if (step_) return 0;
  const std::uint32_t place = job_->rank_of(slot);
  return place == link::kNoRank ? std::nullopt : std::optional(place);
}

std::optional<std::uint32_t> CriticalPath::lane(graph::Slot slot) const {
  const std::uint32_t tag = graph().edge_tag(slot);
  if (tag != graph::kNoTag) return job_ ? job_->owners[tag].lane : step_->owners[tag].lane;
  const graph::NodeId target = graph().target(slot);
  const std::uint32_t lane = job_ ? job_->node_lane[target] : step_->node_lane[target];
  return lane == link::kNoWork ? std::nullopt : std::optional(lane);
}

}  // namespace orrery::query
