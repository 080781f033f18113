// An order of a rank's events and lanes that depends on what they are, not on where the file has them.
//
// A trace is a set of events: writers put them down thread by thread, by time, or as buffers were flushed, and tools
// that merge or cut traces write them in an order of their own. Whatever is decided by comparing two events (who comes
// first, which of two calls it was) must come out the same for every order; so ties are broken here, and never by
// EventIndex or LaneIndex. `--compat` modes keep the file's order instead.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/column.h"
#include "base/radix_sort.h"
#include "trace/trace.h"

namespace orrery::trace {

// Events by their place in the file's list: what graphs that were joined or saved know them by.

/// Of a rank with positions; of one without it finds nothing. 8 bytes per event.
class OrdinalIndex {
 public:
  explicit OrdinalIndex(const RankTrace& rank) {
    entries_.reserve(rank.ordinal.size());
    for (EventIndex e = 0; e < rank.ordinal.size(); ++e) entries_.emplace_back(rank.ordinal[e], e);
    // As a rule they ascend.
    if (!std::is_sorted(entries_.begin(), entries_.end())) std::sort(entries_.begin(), entries_.end());
  }

  /// O(log events).
  [[nodiscard]] std::optional<EventIndex> find(std::uint32_t ordinal) const {
    const auto at = std::lower_bound(entries_.begin(), entries_.end(), std::pair(ordinal, EventIndex{0}));
    return at == entries_.end() || at->first != ordinal ? std::nullopt : std::optional(at->second);
  }

 private:
  std::vector<std::pair<std::uint32_t, EventIndex>> entries_;
};

/// Sorts each run of items for which `tied` holds between neighbours. Nearly all runs are of one item: a time stamp has
/// nanoseconds.
template <typename Items, typename Tied, typename Before>
void sort_each_run(Items& items, Tied&& tied, Before&& before) {
  for (auto first = items.begin(); first != items.end();) {
    auto last = first + 1;
    while (last != items.end() && tied(*first, *last)) ++last;
    if (last - first > 1) std::stable_sort(first, last, before);
    first = last;
  }
}

class ContentOrder {
 public:
  /// Keeps references. O(lanes log lanes).
  ContentOrder(const Trace& trace, const RankTrace& rank);

  /// By start, lane, length (the longer first: it is around the other), name, category, phase, then by the arguments.
  /// Events of which neither is before the other are alike in everything that a graph is made of.
  [[nodiscard]] bool before(EventIndex a, EventIndex b) const;

  /// Lanes by process and thread, numbers before texts.
  [[nodiscard]] const std::vector<LaneIndex>& lanes() const { return lanes_; }
  /// The place of a lane among lanes().
  [[nodiscard]] std::uint32_t place(LaneIndex lane) const { return place_[lane]; }

  /// Puts each run of events for which `tied(a, b)` holds between neighbours into this order. The events must come in
  /// runs already.
  template <typename Tied>
  void sort_runs(std::vector<EventIndex>& events, Tied&& tied) const {
    sort_each_run(events, tied, [&](EventIndex a, EventIndex b) { return before(a, b); });
  }
  template <typename Tied>
  void sort_runs(Column<KeyedIndex>& events, Tied&& tied) const {
    sort_each_run(events, tied, [&](const KeyedIndex& a, const KeyedIndex& b) { return before(a.index, b.index); });
  }

 private:
  [[nodiscard]] int compare_fields(EventIndex a, EventIndex b) const;

  const Trace& trace_;
  const RankTrace& rank_;
  std::vector<LaneIndex> lanes_;
  std::vector<std::uint32_t> place_;
};

}  // namespace orrery::trace
