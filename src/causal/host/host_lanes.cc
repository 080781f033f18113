#include "causal/host/host_lanes.h"

#include <algorithm>
#include <limits>

#include "base/radix_sort.h"

// A lane is walked by start with a stack of what is open: between two boundaries the innermost event is what the thread
// was at. Stacks of Python frames are repaired on the way, since recorders miss returns. Sums of busy time per block of
// 64 segments answer how long a thread worked between any two moments.

namespace orrery::causal {
namespace {

using trace::EventIndex;

/// Segments whose recorded time is one sum.
constexpr std::uint32_t kBusyBlock = 64;
/// Taking a lock or a queue's next item that is there takes a few microseconds; what lasts longer, waits.
constexpr TimePs kShortestStay = 20 * kPsPerUs;

// What is known of names, looked at once: there are a thousand times more events than names.
struct NamesOfFrames {
  explicit NamesOfFrames(const Interner& strings)
      : is_loader(strings.size()), waits(strings.size()), is_of_xspace(strings.size()) {
    for (StringId id = 0; id < is_loader.size(); ++id) {
      is_loader[id] = strings.text(id).find("DataLoader") != std::string_view::npos;
      waits[id] = is_waiting_frame(strings.text(id));
      is_of_xspace[id] = strings.text(id).starts_with('$');
    }
  }

  Column<std::uint8_t> is_loader;
  Column<std::uint8_t> waits;
  Column<std::uint8_t> is_of_xspace;  // a Python frame of XLA's recorder: "$threading.py:999 run"
};

class LaneWalk {
 public:
  /// `unseen_begin`: where frames begin that the recorder did not see begin.
  LaneWalk(const trace::RankTrace& rank, const StepWindow& window, const NamesOfFrames& names, TimePs unseen_begin,
           HostLane& lane)
      : rank_(rank), window_(window), names_(names), unseen_begin_(unseen_begin), lane_(lane) {}

  // `events` by start, longer first.
  void walk(const std::vector<EventIndex>& events) {
    // The main thread fills its step from begin to end, recorded or not; others exist from their first event on.
    const bool fills_window = lane_.is_main && !window_.is_whole_trace;
    now_ = std::max(window_.begin, fills_window ? window_.host_begin : rank_.start[events.front()]);
    lane_.begin_at(now_, 2 * events.size() + 1);
    const TimePs limit = fills_window ? std::min(window_.end, window_.host_end) : window_.end;
    for (const EventIndex e : events) {
      advance(std::min(limit, std::max(window_.begin, rank_.start[e])));
      drop_finished();  // what ends where this begins is not around it
      stack_.push_back({e, end_within(e)});
      loaders_ += names_.is_loader[rank_.name[e]];
    }
    while (!stack_.empty() && now_ < limit)
      advance(std::min(limit, std::max(now_, stack_.back().end))), drop_finished();
    if (fills_window) emit(limit, kNoEvent);
  }

 private:
  struct Running {
    EventIndex event;
    TimePs end;
  };

  // Frames of a call stack nest: one that seems to outlast the frame in which it began was left with that. The recorder
  // missed its return, and closes it with the recording (`<built-in method __exit__>` of compiled functions), so that
  // the thread would never look idle again.
  [[nodiscard]] TimePs end_within(EventIndex e) const {
    if (rank_.activity(e) != trace::Activity::python) return rank_.end(e);
    for (auto outer = stack_.rbegin(); outer != stack_.rend(); ++outer) {
      // What has ended is below something that overlaps it without nesting.
      if (rank_.activity(outer->event) == trace::Activity::python && outer->end > rank_.start[e])
        return std::min(rank_.end(e), outer->end);
    }
    return rank_.end(e);
  }

  void advance(TimePs to) {
    drop_finished();
    while (!stack_.empty() && stack_.back().end < to) {
      emit(stack_.back().end, stack_.back().event);
      drop_finished();
    }
    emit(to, stack_.empty() ? kNoEvent : stack_.back().event);
  }

  void drop_finished() {
    while (!stack_.empty() && stack_.back().end <= now_) {
      loaders_ -= names_.is_loader[rank_.name[stack_.back().event]];
      stack_.pop_back();
    }
  }

  void emit(TimePs until, EventIndex top) {
    if (until <= now_) return;
    // A helper that waits for something to do has nothing to do, however Python calls that.
    if (!lane_.is_main && top != kNoEvent && has_nothing_to_do(top) && until - now_ >= kShortestStay) top = kNoEvent;
    lane_.append(until, top, loaders_ > 0);
    now_ = until;
  }

  // XLA's recorder sees no more than the return of what a thread was in when it came to be recorded (`_bootstrap`, from
  // which a new thread turns the recorder on), and lets that begin with the recording: long before the thread was
  // there, and over all threads of the same number before it.
  [[nodiscard]] bool has_nothing_to_do(EventIndex top) const {
    return names_.waits[rank_.name[top]] != 0 ||
           (rank_.start[top] == unseen_begin_ && names_.is_of_xspace[rank_.name[top]] != 0);
  }

  const trace::RankTrace& rank_;
  const StepWindow& window_;
  const NamesOfFrames& names_;
  const TimePs unseen_begin_;
  HostLane& lane_;
  std::vector<Running> stack_;
  int loaders_ = 0;
  TimePs now_ = 0;
};

}  // namespace

bool is_waiting_frame(std::string_view name) {
  static constexpr std::string_view kMethods[] = {"acquire of _thread.", "get of _queue.SimpleQueue", "poll of select.",
                                                  "wait of _thread."};
  // Methods of built-in types have no file in an XSpace. A dictionary's get takes no time that would count.
  static constexpr std::string_view kOfXSpace[] = {"acquire", "get", "wait", "poll", "select"};
  if (constexpr std::string_view kUnknown = "$<unknown> "; name.starts_with(kUnknown))
    return std::find(std::begin(kOfXSpace), std::end(kOfXSpace), name.substr(kUnknown.size())) != std::end(kOfXSpace);
  if (name == "<built-in function select>" || name == "<built-in method select>") return true;
  if (constexpr std::string_view kBuiltIn = "<built-in method "; name.starts_with(kBuiltIn))
    name.remove_prefix(kBuiltIn.size());
  else return false;
  return std::any_of(std::begin(kMethods), std::end(kMethods),
                     [&](std::string_view method) { return name.starts_with(method); });
}

std::uint32_t HostLane::boundary_at(TimePs time) const {
  const TimePs* const at = std::lower_bound(times_.begin(), times_.end(), time);
  return at == times_.end() || *at != time ? kNoWork : static_cast<std::uint32_t>(at - times_.begin());
}

std::uint32_t HostLane::first_boundary_from(TimePs time) const {
  return static_cast<std::uint32_t>(std::lower_bound(times_.begin(), times_.end(), time) - times_.begin());
}

std::uint32_t HostLane::last_boundary_until(TimePs time) const {
  return static_cast<std::uint32_t>(std::upper_bound(times_.begin(), times_.end(), time) - times_.begin()) - 1;
}

TimePs HostLane::busy_until(std::uint32_t boundary) const {
  TimePs busy = busy_before_block_[boundary / kBusyBlock];
  for (std::uint32_t s = boundary / kBusyBlock * kBusyBlock; s < boundary; ++s)
    busy += tops_[s] == kNoEvent ? 0 : times_[s + 1] - times_[s];
  return busy;
}

TimePs HostLane::busy_between(std::uint32_t first, std::uint32_t last) const {
  return last <= first ? 0 : busy_until(last) - busy_until(first);
}

void HostLane::begin_at(TimePs begin, std::size_t most_segments) {
  times_.reserve(most_segments + 1);
  tops_.reserve(most_segments);
  times_.push_back(begin);
}

void HostLane::append(TimePs end, EventIndex top, bool loads_data) {
  // Data loaders are rare.
  if (loads_data && loads_data_.empty()) loads_data_.assign(tops_.size(), 0);
  if (loads_data || !loads_data_.empty()) loads_data_.push_back(loads_data ? 1 : 0);
  times_.push_back(end);
  tops_.push_back(top);
}

void HostLane::finish() {
  times_.shrink_to_fit();
  tops_.shrink_to_fit();
  TimePs busy = 0;
  for (std::uint32_t s = 0; s <= segment_count(); ++s) {
    if (s % kBusyBlock == 0) busy_before_block_.push_back(busy);
    if (s < segment_count() && tops_[s] != kNoEvent) busy += times_[s + 1] - times_[s];
  }
}

namespace {

// Frames that were left before the window, with a frame in which they had begun, though the recording leaves them open
// (see LaneWalk).
void drop_left_frames(const trace::RankTrace& rank, const StepWindow& window,
                      std::vector<std::vector<EventIndex>>& by_lane) {
  std::vector<std::vector<EventIndex>> open(rank.lanes.size());  // by start, as the events are
  bool any = false;
  for (std::size_t l = 0; l < by_lane.size(); ++l) {
    for (const EventIndex e : by_lane[l]) {
      if (rank.start[e] >= window.begin) break;
      if (rank.activity(e) == trace::Activity::python) open[l].push_back(e), any = true;
    }
  }
  if (!any) return;
  Column<std::uint8_t> was_left(rank.event_count(), 0);
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    if (rank.activity(e) != trace::Activity::python || rank.end(e) > window.begin) continue;
    const std::vector<EventIndex>& frames = open[rank.lane[e]];
    auto at = std::upper_bound(frames.begin(), frames.end(), rank.start[e],
                               [&](TimePs time, EventIndex f) { return time < rank.start[f]; });
    for (; at != frames.end() && rank.start[*at] < rank.end(e); ++at) was_left[*at] = 1;
  }
  for (auto& events : by_lane) std::erase_if(events, [&](EventIndex e) { return was_left[e] != 0; });
}

}  // namespace

std::vector<HostLane> make_host_lanes(const trace::Trace& trace, const trace::RankTrace& rank, const StepWindow& window,
                                      const trace::ContentOrder& content) {
  std::vector<std::uint8_t> takes_part = worker_lanes(trace, rank);
  if (window.main_lane) takes_part[*window.main_lane] = 1;
  const NamesOfFrames names(trace.strings);

  Column<KeyedIndex> order;  // by start
  TimePs unseen_begin = std::numeric_limits<TimePs>::max();
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    if (rank.activity(e) == trace::Activity::python && names.is_of_xspace[rank.name[e]] != 0)
      unseen_begin = std::min(unseen_begin, rank.start[e]);
    if (takes_part[rank.lane[e]] == 0 || !is_host_work(rank.activity(e)) || rank.duration[e] <= 0) continue;
    if (rank.start[e] >= window.end || rank.end(e) <= window.begin) continue;
    order.push_back({radix_key(rank.start[e]), e});
  }
  radix_sort(order);
  std::vector<std::vector<EventIndex>> by_lane(rank.lanes.size());
  std::vector<std::size_t> counts(rank.lanes.size(), 0);
  for (const KeyedIndex& item : order) ++counts[rank.lane[item.index]];
  for (std::size_t l = 0; l < counts.size(); ++l) by_lane[l].reserve(counts[l]);
  for (const KeyedIndex& item : order) by_lane[rank.lane[item.index]].push_back(item.index);
  order = {};  // as large as what is made of it
  drop_left_frames(rank, window, by_lane);

  std::vector<HostLane> lanes;
  std::vector<trace::LaneIndex> sequence = content.lanes();
  // What several threads explain equally well is the main thread's.
  if (window.main_lane)
    std::stable_partition(sequence.begin(), sequence.end(), [&](trace::LaneIndex l) { return l == *window.main_lane; });
  for (const trace::LaneIndex l : sequence) {
    if (by_lane[l].empty()) continue;
    // Of those that start together the longer comes first, since it is around the other.
    content.sort_runs(by_lane[l], [&](EventIndex a, EventIndex b) { return rank.start[a] == rank.start[b]; });
    HostLane lane(l, window.main_lane == l);
    LaneWalk(rank, window, names, unseen_begin, lane).walk(by_lane[l]);
    by_lane[l] = {};
    if (lane.segment_count() == 0) continue;
    lane.finish();
    lanes.push_back(std::move(lane));
  }
  return lanes;
}

bool is_part_of_copy(std::string_view name) {
  return name == "H2D Dispatch" || name == "D2H Dispatch" || name.starts_with("Transpose::");
}

EdgeKind kind_of_segment(const trace::Trace& trace, const trace::RankTrace& rank,
                         const HostCommunication& communication, const Segment& segment, bool is_main) {
  if (segment.loads_data) return EdgeKind::data_loading;
  if (segment.top == kNoEvent) return is_main ? EdgeKind::cpu_untraced : EdgeKind::idle_thread;
  if (communication.contains(segment.top)) return EdgeKind::communication;
  switch (rank.activity(segment.top)) {
    case trace::Activity::cpu_operator:
      return is_part_of_copy(trace.name(rank, segment.top)) ? EdgeKind::memory_copy : EdgeKind::cpu_operator;
    case trace::Activity::python: return EdgeKind::cpu_python;
    case trace::Activity::runtime_call: return EdgeKind::cpu_runtime;
    case trace::Activity::mpi_call:
      return communication.is_local_call(segment.top) ? EdgeKind::cpu_operator : EdgeKind::communication;
    default: return EdgeKind::cpu_untraced;  // an annotation: what ran in it was not recorded
  }
}

}  // namespace orrery::causal
