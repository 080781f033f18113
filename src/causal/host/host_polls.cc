#include "causal/host/host_polls.h"

#include <algorithm>
#include <unordered_map>

// Two passes over the lanes. The first finds loops that were recorded, of queries or of reading a value again and
// again, and merges each into one segment, so that a wait is one edge. The second, when handoffs are known, finds loops
// that left no trace: long quiet segments right after a launch that end with the work.

namespace orrery::causal {
namespace {

using trace::Activity;
using trace::EventIndex;

constexpr std::uint32_t kFewestQueries = 3;
constexpr TimePs kShortestAsking = 20 * kPsPerUs;
constexpr TimePs kLongestRound = 2000 * kPsPerUs;
constexpr TimePs kClockError = 10 * kPsPerUs;
constexpr std::uint32_t kFewestRounds = 8;
constexpr TimePs kShortestLooking = 200 * kPsPerUs;
constexpr TimePs kLongestAfterLaunch = 100 * kPsPerUs;
constexpr TimePs kLongestAfterWork = 60 * kPsPerUs;   // from the end of work to the thread's going on
constexpr TimePs kLongestBeforeEnd = 120 * kPsPerUs;  // from the thread's going on to the end of work

/// Segments [first, last] of a lane, and what they wait for.
struct Loop {
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t work;
};

// The lane with one segment for each loop.
HostLane merged(const HostLane& lane, const std::vector<Loop>& loops) {
  HostLane result(lane.lane, lane.is_main);
  result.begin_at(lane.begin(), lane.segment_count());
  auto next = loops.begin();
  for (std::uint32_t s = 0; s < lane.segment_count(); ++s) {
    if (next != loops.end() && next->first == s) s = next++->last;
    const Segment segment = lane.segment(s);
    result.append(segment.end, segment.top, segment.loads_data);
  }
  result.finish();
  return result;
}

class PollSearch {
 public:
  PollSearch(const trace::Trace& trace, const trace::RankTrace& rank, const std::vector<HostLane>& lanes,
             const HostCommunication& communication, const DeviceTimeline& timeline)
      : trace_(trace), rank_(rank), lanes_(lanes), communication_(communication), timeline_(timeline) {
    reads_memory_ = trace.strings.find("aten::_local_scalar_dense");
    is_query_.resize(trace.strings.size());
    for (StringId id = 0; id < is_query_.size(); ++id) is_query_[id] = is_query_call(trace.strings.text(id));
    std::vector<std::uint32_t> lane_number(rank.lanes.size(), kNoWork);
    for (std::uint32_t l = 0; l < lanes.size(); ++l) lane_number[lanes[l].lane] = l;
    launched_.resize(lanes.size());
    for (std::uint32_t w = 0; w < timeline.works.size(); ++w) {
      const EventIndex call = timeline.works[w].call;
      if (call != kNoEvent && lane_number[rank.lane[call]] != kNoWork)
        launched_[lane_number[rank.lane[call]]].push_back(w);
    }
    for (auto& works : launched_) {
      std::stable_sort(works.begin(), works.end(), [&](std::uint32_t a, std::uint32_t b) {
        return timeline.works[a].call_start < timeline.works[b].call_start;
      });
    }
  }

  /// Loops of lane `l`, as segments [first, last] of it.
  std::vector<Loop> find_loops(std::uint32_t l) {
    loops_.clear();
    const HostLane& lane = lanes_[l];
    for (std::uint32_t s = 0; s < lane.segment_count() && !timeline_.works.empty();) {
      std::uint32_t last = s;
      while (last < lane.segment_count() && !launches(lane.top(last))) ++last;
      if (last > s) look_at(l, s, last);
      s = last + 1;
    }
    return loops_;
  }

  std::vector<HostPoll> find_unseen(std::span<const Handoff> handoffs) {
    std::vector<HostPoll> found;
    for (std::uint32_t l = 0; l < lanes_.size() && !timeline_.works.empty(); ++l) {
      for (std::uint32_t s = 0; s < lanes_[l].segment_count(); ++s) {
        if (const std::uint32_t work = look_at_unseen(l, s, handoffs); work != kNoWork) found.push_back({l, s, work});
      }
    }
    return found;
  }

 private:
  // Whatever a thread calls of the runtime but to ask, and whatever it does to communicate, is something it does.
  [[nodiscard]] bool launches(EventIndex top) const {
    if (top == kNoEvent) return false;
    if (communication_.contains(top)) return true;
    const Activity activity = rank_.activity(top);
    return activity == Activity::mpi_call || (activity == Activity::runtime_call && is_query_[rank_.name[top]] == 0);
  }
  [[nodiscard]] bool is_query(EventIndex top) const {
    return top != kNoEvent && is_query_[rank_.name[top]] != 0 && rank_.activity(top) == Activity::runtime_call;
  }
  [[nodiscard]] bool is_quiet(EventIndex top) const {
    if (top == kNoEvent) return true;
    const Activity activity = rank_.activity(top);
    return (activity == Activity::annotation && !communication_.contains(top)) || activity == Activity::python;
  }

  // Segments [first, last) of a lane, in which it launches nothing.
  void look_at(std::uint32_t l, std::uint32_t first, std::uint32_t last) {
    const std::size_t before = loops_.size();
    for (std::uint32_t s = first; s < last; ++s) {
      if (is_query(lanes_[l].top(s))) s = look_at_queries(l, s, last);
    }
    if (loops_.size() == before) look_at_loop(l, first, last);
  }

  // Asking that begins with segment `first`. Returns the last segment that was looked at.
  std::uint32_t look_at_queries(std::uint32_t l, std::uint32_t first, std::uint32_t end) {
    const HostLane& lane = lanes_[l];
    std::uint32_t last = first, before_last = first, count = 1;
    for (std::uint32_t s = first + 1; s < end; ++s) {
      const EventIndex top = lane.top(s);
      if (lane.boundary_time(s) - lane.boundary_time(last + 1) > kLongestRound) break;
      if (is_query(top)) {
        // One call in several pieces is one question.
        if (top == lane.top(last)) continue;
        before_last = last, last = s, ++count;
      } else if (!is_quiet(top) && rank_.start[top] > lane.boundary_time(first)) {
        break;  // an operator that is not around all of it
      }
    }
    if (count < kFewestQueries || lane.boundary_time(last + 1) - lane.boundary_time(first) < kShortestAsking)
      return last;
    const std::uint32_t work =
        last_ended(lane.boundary_time(before_last) - kClockError, lane.boundary_time(last + 1) + kClockError,
                   [&](const DeviceWork& of) {
                     return was_launched_by(lane.lane, of) && of.call_start < lane.boundary_time(first);
                   });
    if (work != kNoWork) loops_.push_back({first + 1, last, work});
    return last;
  }

  // What a segment in which nothing is recorded waits for; kNoWork if it does not.
  [[nodiscard]] std::uint32_t look_at_unseen(std::uint32_t l, std::uint32_t s,
                                             std::span<const Handoff> handoffs) const {
    const Segment segment = lanes_[l].segment(s);
    if (segment.end - segment.begin < kShortestLooking || !is_quiet(segment.top) || segment.loads_data) return kNoWork;
    if ((segment.top == kNoEvent && !lanes_[l].is_main) || is_handoff(handoffs, l, s)) return kNoWork;
    const std::uint32_t launched = last_launched(l, segment.begin);
    if (launched == kNoWork || segment.begin - timeline_.works[launched].call_end > kLongestAfterLaunch) return kNoWork;
    return looked_for(l, segment.begin, segment.end, launched);
  }

  // What occurs often enough in segments [first, last) is what the loop is made of; its longest uninterrupted run is
  // looked at.
  void look_at_loop(std::uint32_t l, std::uint32_t first, std::uint32_t last) {
    const HostLane& lane = lanes_[l];
    if (reads_memory_ == Interner::kMissing || last - first < 2 * kFewestRounds ||
        lane.boundary_time(last) - lane.boundary_time(first) < kShortestLooking)
      return;
    const auto name_at = [&](std::uint32_t s) {
      return lane.top(s) == kNoEvent ? ~StringId{0} : rank_.name[lane.top(s)];
    };
    std::uint32_t reads = 0;
    for (std::uint32_t s = first; s < last; ++s) reads += name_at(s) == reads_memory_ ? 1 : 0;
    if (reads < kFewestRounds) return;
    std::unordered_map<StringId, std::uint32_t> counts;  // only looked up, never walked
    for (std::uint32_t s = first; s < last; ++s) ++counts[name_at(s)];
    const auto is_of_loop = [&](std::uint32_t s) {
      const Segment segment = lane.segment(s);
      return counts[name_at(s)] >= kFewestRounds && segment.end - segment.begin <= kLongestRound;
    };
    TimePs longest = 0;
    std::uint32_t begin = first, end = first;
    for (std::uint32_t s = first; s < last; ++s) {
      if (!is_of_loop(s)) continue;
      std::uint32_t stop = s;
      while (stop < last && is_of_loop(stop)) ++stop;
      const TimePs length = lane.boundary_time(stop) - lane.boundary_time(s);
      if (length > longest) longest = length, begin = s, end = stop;
      s = std::max(s, stop);
    }
    // What follows the last round is the thread's own.
    while (end > begin && is_quiet(lane.top(end - 1))) --end;
    if (end == begin || lane.boundary_time(end) - lane.boundary_time(begin) < kShortestLooking) return;
    const std::uint32_t launched = last_launched(l, lane.boundary_time(begin));
    if (launched == kNoWork) return;
    const std::uint32_t work = looked_for(l, lane.boundary_time(begin), lane.boundary_time(end), launched);
    if (work != kNoWork) loops_.push_back({begin, end - 1, work});
  }

  // What a thread waits for that looks at memory from `begin` to `end`; `launched`: the last work that it launched
  // before.
  [[nodiscard]] std::uint32_t looked_for(std::uint32_t l, TimePs begin, TimePs end, std::uint32_t launched) const {
    const TimePs earliest = std::max(begin, end - kLongestAfterWork);
    const std::uint32_t copy = last_ended(earliest, end, [&](const DeviceWork& of) {
      return was_launched_by(lanes_[l].lane, of) && of.call_start < begin && copies_to_host(of);
    });
    if (copy != kNoWork) return copy;
    const DeviceWork& work = timeline_.works[launched];
    return work.start < end && work.end > earliest && work.end <= end + kLongestBeforeEnd ? launched : kNoWork;
  }

  // What others launched, a watchdog asks for, in passing.
  [[nodiscard]] bool was_launched_by(trace::LaneIndex lane, const DeviceWork& work) const {
    return work.call != kNoEvent && rank_.lane[work.call] == lane;
  }

  [[nodiscard]] bool copies_to_host(const DeviceWork& work) const {
    if (rank_.activity(work.event) != Activity::memory_copy) return false;
    const std::string_view name = trace_.name(rank_, work.event);
    return name.find("DtoH") != std::string_view::npos || name.find("DeviceToHost") != std::string_view::npos;
  }

  // The last work that a thread launched before `time`.
  [[nodiscard]] std::uint32_t last_launched(std::uint32_t l, TimePs time) const {
    const std::vector<std::uint32_t>& works = launched_[l];
    const auto after = std::lower_bound(works.begin(), works.end(), time, [&](std::uint32_t work, TimePs t) {
      return timeline_.works[work].call_start < t;
    });
    return after == works.begin() ? kNoWork : *(after - 1);
  }

  // Of the works that ended in (after, until] the last one that is `wanted`.
  template <typename Wanted>
  [[nodiscard]] std::uint32_t last_ended(TimePs after, TimePs until, Wanted&& wanted) const {
    auto at = std::upper_bound(timeline_.by_end.begin(), timeline_.by_end.end(), until,
                               [&](TimePs time, std::uint32_t work) { return time < timeline_.works[work].end; });
    while (at != timeline_.by_end.begin() && timeline_.works[*(at - 1)].end > after) {
      if (wanted(timeline_.works[*--at])) return *at;
    }
    return kNoWork;
  }

  [[nodiscard]] static bool is_handoff(std::span<const Handoff> handoffs, std::uint32_t l, std::uint32_t segment) {
    const auto key = std::pair(l, segment);
    const auto at = std::lower_bound(handoffs.begin(), handoffs.end(), key, [](const Handoff& of, const auto& wanted) {
      return std::pair(of.waiter, of.segment) < wanted;
    });
    return at != handoffs.end() && std::pair(at->waiter, at->segment) == key;
  }

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  const std::vector<HostLane>& lanes_;
  const HostCommunication& communication_;
  const DeviceTimeline& timeline_;
  Column<std::uint8_t> is_query_;  // by number of the text
  StringId reads_memory_ = 0;      // the operator by which a value of a tensor gets to the host's code
  std::vector<std::vector<std::uint32_t>> launched_;  // per lane: works that it launched, by call
  std::vector<Loop> loops_;
};

}  // namespace

bool is_query_call(std::string_view name) {
  const bool is_runtime = name.starts_with("cu") || name.starts_with("hip");
  return is_runtime &&
         (name.find("EventQuery") != std::string_view::npos || name.find("StreamQuery") != std::string_view::npos);
}

std::vector<HostPoll> merge_polling_loops(const trace::Trace& trace, const trace::RankTrace& rank,
                                          const HostCommunication& communication, const DeviceTimeline& timeline,
                                          std::vector<HostLane>& lanes) {
  std::vector<HostPoll> polls;
  PollSearch search(trace, rank, lanes, communication, timeline);
  for (std::uint32_t l = 0; l < lanes.size(); ++l) {
    const std::vector<Loop> loops = search.find_loops(l);
    if (loops.empty()) continue;
    std::uint32_t gone = 0;  // segments
    for (const Loop& loop : loops) {
      // Loops before it in this lane have become one segment each.
      polls.push_back({l, loop.first - gone, loop.work});
      gone += loop.last - loop.first;
    }
    lanes[l] = merged(lanes[l], loops);
  }
  return polls;
}

std::vector<HostPoll> find_unseen_polls(const trace::Trace& trace, const trace::RankTrace& rank,
                                        const HostCommunication& communication, const DeviceTimeline& timeline,
                                        const std::vector<HostLane>& lanes, std::span<const Handoff> handoffs) {
  return PollSearch(trace, rank, lanes, communication, timeline).find_unseen(handoffs);
}

}  // namespace orrery::causal
