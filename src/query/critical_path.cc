#include "query/critical_path.h"

#include <algorithm>
#include <utility>

#include "graph/slack.h"
#include "trace/content_order.h"

namespace orrery::query {
namespace {

// As many as `orrery path` shows.
constexpr std::size_t kContributors = 10;

Result<causal::CausalGraph> make_graph(const Recording& recording) {
  if (recording.trace.ranks.empty()) return Error{"there is no rank in these files"};
  if (recording.job == nullptr) {
    const causal::WindowRequest request{recording.window.annotation, recording.window.first_instance,
                                        recording.window.last_instance};
    return causal::make_causal_graph(recording.trace, recording.trace.ranks.front(), request, recording.remarks);
  }
  job::JobWindowRequest request = recording.window;
  // A path of all steps would be long and say little: one that is typical stands for them.
  request.typical = true;
  const Result<job::JobWindow> window = recording.job->window(request, recording.remarks);
  if (!window) return window.error();
  Result<causal::CausalGraph> job = recording.job->graph(*window, {}, recording.remarks);
  if (!job) return job.error();
  if (job->operations.empty()) {
    return Error{"no communication between these ranks was matched, so they have no path in common",
                 {},
                 Error::kNoOffset,
                 "ask about the path of one rank"};
  }
  return job;
}

}  // namespace

Result<CriticalPath> CriticalPath::make(const Recording& recording, const EventNumbers& numbers) {
  Result<causal::CausalGraph> job = make_graph(recording);
  if (!job) return job.error();
  analyze::PathSums sums = analyze::take_path(*job, graph::solve(job->graph, job->end), kContributors, true).sums;
  CriticalPath path(std::move(*job), std::move(sums));
  path.find_events(recording, numbers);
  path.sum_events(numbers.count());
  return path;
}

CriticalPath::CriticalPath(causal::CausalGraph job, analyze::PathSums sums)
    : job_(std::move(job)), sums_(std::move(sums)) {
  slack_ = graph::Slack(sums_.solution).edges();
  on_path_.assign(graph().edge_count(), 0);
  for (const graph::Slot slot : sums_.path.slots) on_path_[slot] = 1;
}

void CriticalPath::find_events(const Recording& recording, const EventNumbers& numbers) {
  event_of_owner_.assign(job_.owners.size(), kNoEventId);
  for (std::size_t r = 0; r < job_.ranks.size(); ++r) {
    const trace::OrdinalIndex events(recording.trace.ranks[r]);
    // Owners of a rank follow those of the ranks before it.
    const std::size_t end = r + 1 < job_.ranks.size() ? job_.ranks[r + 1].first_owner : job_.owners.size();
    for (std::size_t owner = job_.ranks[r].first_owner; owner < end; ++owner) {
      if (const auto event = events.find(job_.owners[owner].ordinal))
        event_of_owner_[owner] = numbers.first(r) + *event;
    }
  }
}

void CriticalPath::sum_events(std::uint64_t events) {
  event_slack_.assign(events, graph::kUnlimited);
  critical_.assign(events, 0);
  for (graph::Slot slot = 0; slot < graph().edge_count(); ++slot) {
    const std::uint64_t owner = event(slot);
    if (owner == kNoEventId) continue;
    // An event may own several edges; the tightest of them is its slack.
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
  return tag == graph::kNoTag ? std::string_view() : strings().text(job_.owners[tag].name);
}

TimePs CriticalPath::start(graph::Slot slot) const { return job_.begin_ps + job_.time[graph().source(slot)]; }

std::optional<std::uint32_t> CriticalPath::rank(graph::Slot slot) const {
  const std::uint32_t place = job_.rank_of(slot);
  return place == causal::kNoRank ? std::nullopt : std::optional(place);
}

std::optional<std::uint32_t> CriticalPath::lane(graph::Slot slot) const {
  const std::uint32_t tag = graph().edge_tag(slot);
  if (tag != graph::kNoTag) return job_.owners[tag].lane;
  // Edges without owner lie where they lead to.
  const std::uint32_t lane = job_.node_lane[graph().target(slot)];
  return lane == causal::kNoWork ? std::nullopt : std::optional(lane);
}

}  // namespace orrery::query
