// The causal graph of moments turned inside out: what passes between moments becomes activities, and activities depend
// on one another.
//
// A RankGraph has its time on its edges; a Program has it in its activities, and its dependencies cost nothing. So
// every edge that takes time becomes an activity, and depends on all that ends at the moment where it begins. Edges
// that take none only connect. A delay that did not hold anything up is left out, as a plain connection. Executed from
// dependencies and durations alone, each activity then starts exactly when it was recorded to start.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/column.h"
#include "causal/rank_graph.h"

namespace orrery::causal {

struct ChainedActivity {
  TimePs start;                                  ///< since TimePs 0 of the trace
  TimePs duration;                               ///< of a call that waited for the device only its own part
  trace::EventIndex event;                       ///< what it is a part of; kNoEvent: a delay, a gap, or a join
  std::uint32_t lane;                            ///< of the trace; kNoWork: none
  std::uint32_t first_dependency, dependencies;  ///< [first, first + count) of ActivityChain::dependencies
  EdgeKind kind;   ///< `order`: a join, which takes no time and stands for all it depends on
  bool continues;  ///< an earlier activity is part of the same event
};

struct ActivityChain {
  /// By start; ties: host before device, then by what they are (trace/content_order.h). What an activity depends on
  /// comes before it. put_in_issue_order may move some.
  Column<ChainedActivity> activities;
  Column<std::uint32_t> dependencies;  ///< numbers of activities, ascending; shared by all that begin at one moment

  [[nodiscard]] std::span<const std::uint32_t> dependencies_of(std::size_t activity) const {
    const ChainedActivity& of = activities[activity];
    return std::span(dependencies.data(), dependencies.size()).subspan(of.first_dependency, of.dependencies);
  }
};

/// Device work that was launched by a call depends on the call itself if it started after the call had returned, else
/// on what came before the call (see Submission). With `whole_microseconds` starts and durations are whole
/// microseconds, rounded such that the sum along a path is off by less than one; delays and gaps that are rounded to
/// nothing are left out. O(moments + edges).
ActivityChain make_activity_chain(const RankGraph& step, const trace::Trace& trace, const trace::RankTrace& rank,
                                  bool whole_microseconds);

/// The nearest whole microsecond; half a one is rounded up.
inline TimePs to_whole_microsecond(TimePs time) {
  const TimePs shifted = time + kPsPerUs / 2;
  return shifted - ((shifted % kPsPerUs) + kPsPerUs) % kPsPerUs;
}

/// Of what is no part of an event: whether it is time of the device.
inline bool is_on_device(EdgeKind kind) {
  return is_device(kind) || kind == EdgeKind::launch_delay || kind == EdgeKind::kernel_gap ||
         kind == EdgeKind::stream_wait || kind == EdgeKind::idle_device || kind == EdgeKind::earlier_work;
}

// Further dependencies between activities of a chain, from what is known about their events.

inline constexpr std::uint32_t kNoActivity = ~std::uint32_t{0};

/// `to` comes after `from`: numbers of activities, from < to.
struct ActivityPair {
  std::uint32_t from;
  std::uint32_t to;
  friend bool operator==(const ActivityPair&, const ActivityPair&) = default;
};

struct ActivityPairs {
  std::vector<ActivityPair> pairs;
  std::size_t cut = 0;  ///< left out, because `to` was recorded to start before `from` ended

  /// Keeps the pair if it leads forward in recorded time; says whether it did.
  bool add(const ActivityChain& chain, std::uint32_t from, std::uint32_t to) {
    const ChainedActivity& earlier = chain.activities[from];
    const bool leads_forward = from < to && earlier.start + earlier.duration <= chain.activities[to].start;
    if (leads_forward) pairs.push_back({from, to});
    else ++cut;
    return leads_forward;
  }
};

/// The first and last activity of an event.
struct ActivityExtent {
  std::uint32_t first = kNoActivity;
  std::uint32_t last = kNoActivity;
  void add(std::uint32_t activity) {
    if (first == kNoActivity) first = activity;
    last = activity;
  }
};

/// Per event, of its own activities: those of what it calls are not among them.
inline Column<ActivityExtent> activity_extents(const ActivityChain& chain, std::size_t events) {
  Column<ActivityExtent> extents(events, ActivityExtent{});
  for (std::uint32_t a = 0; a < chain.activities.size(); ++a) {
    if (chain.activities[a].event != kNoEvent) extents[chain.activities[a].event].add(a);
  }
  return extents;
}

}  // namespace orrery::causal
