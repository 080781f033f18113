#include "page/data/event_table.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "base/parallel.h"
#include "base/radix_sort.h"
#include "causal/device/device_timeline.h"
#include "page/data/event_kinds.h"
#include "trace/content_order.h"

// If there are more events than the page may have, the shortest go: the length below which all go is found by
// bisection, counting instead of sorting. The rest is sorted per rank by start, then put on lanes, threads by work and
// streams by number. Ids run on from rank to rank.

namespace orrery::page {
namespace {

class Leaving {
 public:
  Leaving(const trace::Trace& trace, const EventLimits& limits) : trace_(trace), limits_(limits) {}

  /// Calls visit(rank, event, length) for every event that may go.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r) {
      const trace::RankTrace& rank = trace_.ranks[r];
      const bool some_stay = !limits_.must_stay.empty() && !limits_.must_stay[r].empty();
      for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
        if (!some_stay || limits_.must_stay[r][e] == 0) visit(r, e, rank.duration[e]);
      }
    }
  }

  [[nodiscard]] std::uint64_t shorter_than(TimePs length) const {
    std::uint64_t count = 0;
    for_each([&](std::size_t, trace::EventIndex, TimePs duration) { count += duration < length ? 1 : 0; });
    return count;
  }

 private:
  const trace::Trace& trace_;
  const EventLimits& limits_;
};

}  // namespace

std::vector<Column<std::uint8_t>> chosen_events(const trace::Trace& trace, const EventLimits& limits) {
  std::uint64_t all = 0;
  for (const trace::RankTrace& rank : trace.ranks) all += rank.event_count();
  if (all <= limits.most_events) return {};
  const std::uint64_t excess = all - limits.most_events;
  const Leaving leaving(trace, limits);
  // The largest length of which all shorter ones may go. Counting again and again takes no memory, and such traces have
  // little to spare.
  TimePs low = 0, high = 1;
  leaving.for_each([&](std::size_t, trace::EventIndex, TimePs duration) { high = std::max(high, duration + 1); });
  while (low < high) {
    const TimePs middle = low + (high - low + 1) / 2;
    if (leaving.shorter_than(middle) <= excess) low = middle;
    else high = middle - 1;
  }
  // Of those that are just as long, only as many as have to go, the first ones.
  std::uint64_t of_that_length = excess - leaving.shorter_than(low);
  std::vector<Column<std::uint8_t>> chosen;
  for (const trace::RankTrace& rank : trace.ranks) chosen.emplace_back(rank.event_count(), std::uint8_t{1});
  leaving.for_each([&](std::size_t r, trace::EventIndex e, TimePs duration) {
    if (duration > low || (duration == low && of_that_length == 0)) return;
    if (duration == low) --of_that_length;
    chosen[r][e] = 0;
  });
  return chosen;
}

namespace {

using trace::Activity;
using trace::EventIndex;
using trace::LaneIndex;

/// A stream whose work is less than this part of the time that its rank was recorded has little; but a handful of
/// streams has rows enough.
constexpr TimePs kLittlePart = 100;
constexpr std::size_t kStreamsWithRows = 4;

std::uint32_t ordinal_of(const trace::RankTrace& rank, EventIndex e) {
  return rank.ordinal.empty() ? e : rank.ordinal[e];
}

/// Chosen events by start, the longer first, ordinal.
Column<EventIndex> by_start(const trace::RankTrace& rank, const Column<std::uint8_t>* chosen) {
  Column<KeyedIndex> keys;
  keys.reserve(rank.event_count());
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    if (chosen == nullptr || (*chosen)[e] != 0) keys.push_back({radix_key(rank.start[e]), e});
  }
  radix_sort(keys);
  trace::sort_each_run(
      keys, [](const KeyedIndex& a, const KeyedIndex& b) { return a.key == b.key; },
      [&](const KeyedIndex& a, const KeyedIndex& b) {
        return std::pair(-rank.duration[a.index], ordinal_of(rank, a.index)) <
               std::pair(-rank.duration[b.index], ordinal_of(rank, b.index));
      });
  Column<EventIndex> events(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) events[i] = keys[i].index;
  return events;
}

/// What lanes hold, found in one pass in order of start.
struct LaneContent {
  std::uint32_t count = 0;
  TimePs work = 0, busy_until = std::numeric_limits<TimePs>::min();
  bool has_device = false, has_host = false;
  EventIndex first_device_work = 0;
};

std::vector<LaneContent> lane_contents(const trace::RankTrace& rank, const Column<EventIndex>& events) {
  std::vector<LaneContent> lanes(rank.lanes.size());
  for (const EventIndex e : events) {
    LaneContent& lane = lanes[rank.lane[e]];
    ++lane.count;
    const Activity activity = rank.activity(e);
    if (trace::is_device_work(activity) || activity == Activity::device_annotation) {
      if (!lane.has_device) lane.first_device_work = e;
      lane.has_device = true;
    }
    lane.has_host |= trace::is_host_work(activity);
    if (activity == Activity::annotation || activity == Activity::device_annotation ||
        activity == Activity::profiler_span)
      continue;
    // Time that is covered already is not counted again: events are by start, so one moment is enough to know it.
    const TimePs begin = std::max(rank.start[e], lane.busy_until), end = rank.end(e);
    if (end > begin) lane.work += end - begin, lane.busy_until = end;
  }
  return lanes;
}

std::string lane_name(const trace::Trace& trace, const trace::Lane& lane, LaneSort sort) {
  if (lane.thread_name != 0) return std::string(trace.strings.text(lane.thread_name));
  const std::string key =
      lane.thread.text != 0 ? std::string(trace.strings.text(lane.thread.text)) : std::to_string(lane.thread.number);
  if (lane.thread.text != 0 && !key.empty()) return key;
  return (sort == LaneSort::stream ? "stream " : "thread ") + key;
}

// Streams of several devices are called alike; then the process tells them apart.
void tell_apart(const trace::Trace& trace, const trace::RankTrace& rank, std::vector<PageLane>& lanes) {
  std::map<std::string, std::size_t> uses;
  for (const PageLane& lane : lanes) ++uses[lane.name];
  for (PageLane& lane : lanes) {
    if (uses[lane.name] == 1) continue;
    const trace::Lane& about = rank.lanes[lane.lane];
    const std::string process = about.process_name != 0   ? std::string(trace.strings.text(about.process_name))
                                : about.process.text != 0 ? std::string(trace.strings.text(about.process.text))
                                                          : std::to_string(about.process.number);
    lane.name += lane.sort == LaneSort::stream && lane.device >= 0 ? " of device " + std::to_string(lane.device)
                                                                   : " of " + process;
  }
}

/// The busiest stream keeps its row: of a rank that hardly used its device, it is what there is to see.
void mark_little(std::vector<PageLane>& lanes, TimePs span) {
  TimePs most = 0;
  std::size_t streams = 0;
  for (const PageLane& lane : lanes) {
    if (lane.sort != LaneSort::stream) continue;
    most = std::max(most, lane.work);
    ++streams;
  }
  if (streams <= kStreamsWithRows) return;
  for (PageLane& lane : lanes)
    lane.is_little = lane.sort == LaneSort::stream && lane.work < std::min(most, span / kLittlePart);
}

/// From the first start to the last end.
TimePs span_of(const trace::RankTrace& rank, const Column<EventIndex>& events) {
  if (events.empty()) return 0;
  TimePs begin = std::numeric_limits<TimePs>::max(), end = std::numeric_limits<TimePs>::min();
  for (const EventIndex e : events) {
    begin = std::min(begin, rank.start[e]);
    end = std::max(end, rank.start[e] + rank.duration[e]);
  }
  return end - begin;
}

std::vector<PageLane> make_lanes(const trace::Trace& trace, std::size_t rank_place, const Column<EventIndex>& events) {
  const trace::RankTrace& rank = trace.ranks[rank_place];
  const std::vector<LaneContent> contents = lane_contents(rank, events);
  const trace::ContentOrder content(trace, rank);
  const causal::QueueIndex queues(trace, rank);
  std::vector<PageLane> lanes;
  for (const LaneIndex l : content.lanes()) {
    const LaneContent& has = contents[l];
    if (has.count == 0) continue;
    PageLane lane{
        .rank = static_cast<std::uint32_t>(rank_place), .lane = l, .name = {}, .count = has.count, .work = has.work};
    lane.sort = has.has_device ? LaneSort::stream : has.has_host ? LaneSort::thread : LaneSort::other;
    if (has.has_device) {
      const causal::Queue queue = queues.of(has.first_device_work);
      lane.device = queue.device, lane.stream = queue.stream;
    }
    lane.name = lane_name(trace, rank.lanes[l], lane.sort);
    lanes.push_back(std::move(lane));
  }
  std::stable_sort(lanes.begin(), lanes.end(), [](const PageLane& a, const PageLane& b) {
    const auto key = [](const PageLane& lane) {
      // Threads by falling work, streams by device and number.
      return std::tuple(lane.sort, lane.sort == LaneSort::thread ? -lane.work : 0, lane.device, lane.stream);
    };
    return key(a) < key(b);
  });
  tell_apart(trace, rank, lanes);
  mark_little(lanes, span_of(rank, events));
  return lanes;
}

/// `events` by lane, in the order of `lanes`; within a lane as they are.
Column<EventIndex> by_lane(const trace::RankTrace& rank, const Column<EventIndex>& events,
                           const std::vector<PageLane>& lanes) {
  std::vector<std::uint32_t> next(rank.lanes.size(), 0);
  std::uint32_t at = 0;
  for (const PageLane& lane : lanes) next[lane.lane] = at, at += lane.count;
  Column<EventIndex> order(events.size());
  for (const EventIndex e : events) order[next[rank.lane[e]]++] = e;
  return order;
}

/// Earliest start, latest end, and whether all times are whole nanoseconds from the start of the first event.
struct Extent {
  TimePs begin = std::numeric_limits<TimePs>::max(), end = std::numeric_limits<TimePs>::min();
  TimePs remainder = -1;  ///< of all starts and ends modulo 1 ns; -1: none yet, -2: they differ
};

Extent extent_of(const trace::RankTrace& rank) {
  Extent extent;
  // Modulo as in mathematics, since times may be below zero.
  const auto modulo = [](TimePs time) { return ((time % kPsPerNs) + kPsPerNs) % kPsPerNs; };
  bool whole = true;
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    extent.begin = std::min(extent.begin, rank.start[e]);
    extent.end = std::max(extent.end, rank.end(e));
    if (e == 0) extent.remainder = modulo(rank.start[e]);
    whole = whole && rank.duration[e] % kPsPerNs == 0 && modulo(rank.start[e]) == extent.remainder;
  }
  if (!whole) extent.remainder = -2;
  return extent;
}

}  // namespace

const char* to_string(LaneSort sort) {
  switch (sort) {
    case LaneSort::thread: return "thread";
    case LaneSort::stream: return "stream";
    case LaneSort::other: break;
  }
  return "other";
}

EventTable::EventTable(const trace::Trace& trace, const EventLimits& limits) {
  const std::vector<Column<std::uint8_t>> chosen = chosen_events(trace, limits);
  const std::size_t ranks = trace.ranks.size();
  ranks_.resize(ranks);
  lane_numbers_.resize(ranks);
  std::vector<std::vector<PageLane>> lanes(ranks);
  std::vector<Extent> extents(ranks);
  parallel_for(ranks, [&](std::size_t r) {
    const trace::RankTrace& rank = trace.ranks[r];
    RankEvents& events = ranks_[r];
    extents[r] = extent_of(rank);
    events.kind = event_kinds(trace, rank);
    const Column<EventIndex> sorted = by_start(rank, chosen.empty() ? nullptr : &chosen[r]);
    lanes[r] = make_lanes(trace, r, sorted);
    events.order = by_lane(rank, sorted, lanes[r]);
    events.place.assign(rank.event_count(), kLeftOut);
    for (std::uint32_t i = 0; i < events.order.size(); ++i) events.place[events.order[i]] = i;
    events.left_out = rank.event_count() - events.order.size();
  });
  Extent all;
  for (std::size_t r = 0; r < ranks; ++r) {
    ranks_[r].first_id = static_cast<std::uint32_t>(events_);
    events_ += ranks_[r].order.size();
    ranks_[r].first_lane = lanes_.size();
    lane_numbers_[r].assign(trace.ranks[r].lanes.size(), kLeftOut);
    for (PageLane& lane : lanes[r]) {
      lane_numbers_[r][lane.lane] = static_cast<std::uint32_t>(lanes_.size());
      lanes_.push_back(std::move(lane));
    }
    ranks_[r].end_lane = lanes_.size();
    if (extents[r].remainder == -1) continue;  // no events
    all.begin = std::min(all.begin, extents[r].begin);
    all.end = std::max(all.end, extents[r].end);
    all.remainder = all.remainder == -1 || all.remainder == extents[r].remainder ? extents[r].remainder : -2;
  }
  if (all.remainder == -1) return;
  origin_ = all.begin;
  end_ = all.end;
  // In whole nanoseconds, where that loses nothing: numbers are a thousandth then, and the page is smaller.
  unit_ps_ = all.remainder >= 0 ? kPsPerNs : 1;
}

std::uint64_t EventTable::left_out() const {
  std::uint64_t sum = 0;
  for (const RankEvents& rank : ranks_) sum += rank.left_out;
  return sum;
}

std::optional<std::uint32_t> EventTable::id(std::size_t rank, EventIndex event) const {
  const std::uint32_t place = ranks_[rank].place[event];
  if (place == kLeftOut) return std::nullopt;
  return ranks_[rank].first_id + place;
}

std::optional<std::uint32_t> EventTable::lane_number(std::size_t rank, LaneIndex lane) const {
  const std::uint32_t number = lane < lane_numbers_[rank].size() ? lane_numbers_[rank][lane] : kLeftOut;
  if (number == kLeftOut) return std::nullopt;
  return number;
}

std::optional<EventIndex> event_with_ordinal(const trace::RankTrace& rank, std::uint32_t ordinal) {
  if (rank.ordinal.empty()) return ordinal < rank.event_count() ? std::optional<EventIndex>(ordinal) : std::nullopt;
  const auto* const at = std::lower_bound(rank.ordinal.begin(), rank.ordinal.end(), ordinal);
  if (at != rank.ordinal.end() && *at == ordinal) return static_cast<EventIndex>(at - rank.ordinal.begin());
  return std::nullopt;
}

}  // namespace orrery::page
