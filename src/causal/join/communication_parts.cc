#include "causal/join/communication_parts.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "base/sparse_rows.h"
#include "causal/program/activity_chain.h"
#include "causal/program/collective_details.h"
#include "match/communication.h"
#include "trace/content_order.h"

// Here are the two ways in which a host's collective is more than one edge: it is cut to pieces by the calls inside of
// it, of which one communicates, and workers may begin collectives in another order than the program asked for them.

namespace orrery::causal {

using graph::Slot;
using trace::EventIndex;

CommunicationEdges::CommunicationEdges(const trace::Trace& trace, const trace::RankTrace& rank, const RankGraph& step) {
  for (Slot slot = 0; slot < step.graph.edge_count(); ++slot) {
    if (step.kind(slot) != EdgeKind::communication || step.graph.edge_tag(slot) == graph::kNoTag) continue;
    edges_.push_back({step.owner_events[step.graph.edge_tag(slot)], slot});
  }
  const auto by_event_and_time = [&](const Edge& a, const Edge& b) {
    if (a.event != b.event) return a.event < b.event;
    return step.time[step.graph.source(a.slot)] < step.time[step.graph.source(b.slot)];
  };
  std::stable_sort(edges_.begin(), edges_.end(), by_event_and_time);
  keep_communicating_parts(trace, rank, step);
}

// What a host does is cut to pieces by the calls it makes. A collective waits and moves the data in the longest of
// them; a message leaves with the first (see communicating_parts).
void CommunicationEdges::keep_communicating_parts(const trace::Trace& trace, const trace::RankTrace& rank,
                                                  const RankGraph& step) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edges_.size();) {
    std::size_t best = i, last = i + 1;
    while (last < edges_.size() && edges_[last].event == edges_[i].event) ++last;
    const auto kind = match::communication_kind(trace.name(rank, edges_[i].event));
    const bool is_message = kind && kind->kind != workload::ActivityKind::collective;
    for (std::size_t at = i + 1; at < last && !is_message; ++at) {
      if (step.graph.weight(edges_[at].slot) > step.graph.weight(edges_[best].slot)) best = at;
    }
    edges_[kept++] = edges_[best];
    i = last;
  }
  edges_.resize(kept);
}

Slot CommunicationEdges::find(EventIndex event) const {
  const auto at = std::lower_bound(edges_.begin(), edges_.end(), event,
                                   [](const Edge& edge, EventIndex e) { return edge.event < e; });
  return at != edges_.end() && at->event == event ? at->slot : graph::kNoSlot;
}

std::vector<Slot> CommunicationEdges::slots() const {
  std::vector<Slot> slots;
  for (const Edge& edge : edges_) slots.push_back(edge.slot);
  std::sort(slots.begin(), slots.end());
  return slots;
}

namespace {

using trace::EventIndex;
using trace::Field;

/// Host collectives (their communicating activities) in the order they were issued.
std::vector<std::uint32_t> issued_collectives(const trace::Trace& trace, const trace::RankTrace& rank,
                                              const ActivityChain& chain) {
  const Column<std::uint32_t> part = communicating_parts(trace, rank, chain);
  std::vector<EventIndex> events;
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    if (part[e] == kNoActivity || is_device_work(rank.activity(e))) continue;
    const auto kind = communication_kind(trace.name(rank, e));
    if (kind && kind->kind == workload::ActivityKind::collective) events.push_back(e);
  }
  // Numbers of record functions count up as operators are called, whatever thread runs them later.
  const auto number = [&](EventIndex e) { return rank.field(Field::record_function).find(e).value_or(0); };
  const trace::ContentOrder content(trace, rank);
  std::stable_sort(events.begin(), events.end(), [&](EventIndex a, EventIndex b) {
    return number(a) != number(b) ? number(a) < number(b) : content.before(a, b);
  });
  std::vector<std::uint32_t> activities;
  activities.reserve(events.size());
  for (const EventIndex e : events) activities.push_back(part[e]);
  return activities;
}

/// Topological order that keeps the present one as far as the additional pairs allow; shorter than the chain if they
/// close a cycle.
std::vector<std::uint32_t> order_with(const ActivityChain& chain, const std::vector<std::uint32_t>& issued) {
  const std::size_t count = chain.activities.size();
  std::vector<std::uint32_t> waits(count, 0), after(count, kNoActivity);
  for (std::uint32_t a = 0; a < count; ++a) waits[a] = static_cast<std::uint32_t>(chain.dependencies_of(a).size());
  const auto successors = group_by_row<std::uint32_t>(count, [&](const auto& add) {
    for (std::uint32_t a = 0; a < count; ++a) {
      for (const std::uint32_t from : chain.dependencies_of(a)) add(from, a);
    }
  });
  // Each collective waits for the one issued before it.
  for (std::size_t i = 1; i < issued.size(); ++i) after[issued[i - 1]] = issued[i], ++waits[issued[i]];
  // Kahn's algorithm with a heap: of what is ready, the first in the present order comes next.
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t a = 0; a < count; ++a) {
    if (waits[a] == 0) ready.push(a);
  }
  std::vector<std::uint32_t> order;
  while (!ready.empty()) {
    const std::uint32_t a = ready.top();
    ready.pop();
    order.push_back(a);
    for (const std::uint32_t successor : successors[a]) {
      if (--waits[successor] == 0) ready.push(successor);
    }
    if (after[a] != kNoActivity && --waits[after[a]] == 0) ready.push(after[a]);
  }
  return order;
}

void renumber(const std::vector<std::uint32_t>& order, ActivityChain& chain) {
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  Column<ChainedActivity> activities(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) activities[i] = chain.activities[order[i]];
  chain.activities = std::move(activities);
  for (std::uint32_t& from : chain.dependencies) from = place[from];
  for (const ChainedActivity& activity : chain.activities) {
    std::uint32_t* const begin = chain.dependencies.begin() + activity.first_dependency;
    if (!std::is_sorted(begin, begin + activity.dependencies)) std::sort(begin, begin + activity.dependencies);
  }
}

}  // namespace

Column<std::uint32_t> communicating_parts(const trace::Trace& trace, const trace::RankTrace& rank,
                                          const ActivityChain& chain) {
  Column<std::uint32_t> parts(rank.event_count(), kNoActivity);
  for (std::uint32_t a = 0; a < chain.activities.size(); ++a) {
    const ChainedActivity& activity = chain.activities[a];
    if (activity.kind != EdgeKind::communication || activity.event == kNoEvent) continue;
    std::uint32_t& part = parts[activity.event];
    // A message is on its way from its first part on; of a collective that was interrupted the longest part is the one
    // in which it waits for the others.
    if (part == kNoActivity) {
      part = a;
    } else if (activity.duration > chain.activities[part].duration) {
      const auto kind = communication_kind(trace.name(rank, activity.event));
      if (kind && kind->kind == workload::ActivityKind::collective) part = a;
    }
  }
  return parts;
}

void put_in_issue_order(const trace::Trace& trace, const trace::RankTrace& rank, ActivityChain& chain) {
  const std::vector<std::uint32_t> issued = issued_collectives(trace, rank, chain);
  // Nearly always: workers take what was asked for in order.
  if (std::is_sorted(issued.begin(), issued.end())) return;
  const std::vector<std::uint32_t> order = order_with(chain, issued);
  // Where the two orders contradict each other, what was recorded counts.
  if (order.size() == chain.activities.size()) renumber(order, chain);
}

}  // namespace orrery::causal
