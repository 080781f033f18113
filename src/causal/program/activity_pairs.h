// Further dependencies between activities of a chain, from what is known about their events.
#pragma once

#include <cstdint>
#include <vector>

#include "causal/program/activity_chain.h"

namespace orrery::causal {

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
