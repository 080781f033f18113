#include "causal/host/silent_waits.h"

#include <algorithm>
#include <optional>
#include <span>

#include "causal/host/host_lanes.h"

// The numbers are those of the header, with what was seen in recordings. Launches are listed once with "of all until
// then, the last to end", so that each silent segment costs one search; calls that launch are checked against the
// number of launches that their stream had open.

namespace orrery::causal {
namespace {

using trace::Activity;
using trace::EventIndex;

constexpr TimePs kShortestNamedWait = 20 * kPsPerUs;
constexpr TimePs kLongestReturnOfCopy = 60 * kPsPerUs;
// By the length of the wait: at least the usual time, 15 percent of long ones, but no more than 3 ms.
constexpr TimePs kUsualReturn = 600 * kPsPerUs;
constexpr TimePs kLongestSilentReturn = 3000 * kPsPerUs;
constexpr TimePs kReturnPercent = 15;
// A stream takes some 1,021 launches; fewer open ones than these cannot have stopped the caller.
constexpr std::uint32_t kFullStream = 900;
constexpr TimePs kLongestReturnWithRoom = 50 * kPsPerUs;
/// Of the works that ended last, how many are asked who launched them.
constexpr int kWorksToAsk = 64;

bool has_part(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

class SilentWaits {
 public:
  SilentWaits(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceTimeline& timeline,
              const std::vector<HostLane>& lanes)
      : trace_(trace), rank_(rank), timeline_(timeline), lanes_(lanes), waits_by_name_(trace.strings.size()) {
    for (StringId id = 0; id < waits_by_name_.size(); ++id)
      waits_by_name_[id] = is_waiting_call(trace.strings.text(id));
    if (uses_xla_runtime(trace, rank)) list_launches();
    number_launches();
  }

  std::vector<SilentWait> find() {
    for (std::uint32_t lane = 0; lane < lanes_.size() && !timeline_.works.empty(); ++lane) {
      for (std::uint32_t s = 0; s < lanes_[lane].segment_count(); ++s) {
        const Segment segment = lanes_[lane].segment(s);
        if (segment.end - segment.begin < kShortestNamedWait || segment.loads_data) continue;
        if (const std::uint32_t work = waited_for(lane, segment); work != kNoWork) waits_.push_back({lane, s, work});
      }
    }
    return std::move(waits_);
  }

 private:
  /// Of what was launched until then, the last to end.
  struct Launched {
    TimePs at;
    std::uint32_t last;
  };

  [[nodiscard]] std::uint32_t waited_for(std::uint32_t lane, const Segment& segment) const {
    if (segment.top == kNoEvent) return waited_for_in_silence(lane, segment);
    if (rank_.activity(segment.top) == Activity::runtime_call) return waited_for_room(segment);
    return waits_by_name_[rank_.name[segment.top]] != 0 ? waited_for_by_name(lane, segment)
                                                        : waited_for_in_silence(lane, segment);
  }

  void list_launches() {
    launched_.resize(rank_.lanes.size());
    std::vector<std::vector<Burst>> bursts(rank_.lanes.size());
    for (const HostLane& lane : lanes_) {
      if (!lane.is_main) bursts[lane.lane] = find_bursts(lane, {});
    }
    for (std::uint32_t w = 0; w < timeline_.works.size(); ++w) {
      const DeviceWork& work = timeline_.works[w];
      if (work.call == kNoEvent) continue;
      launched_[rank_.lane[work.call]].push_back({work.call_start, w});
      if (const auto given = given_at(bursts[rank_.lane[work.call]], work.call_start)) given_.push_back({*given, w});
    }
    for (std::vector<Launched>& of_lane : launched_) keep_last_ends(of_lane);
    keep_last_ends(given_);
  }

  // When the main thread gave a helper the stretch of work in which it made this call: at the last moment of the main
  // thread before it began.
  [[nodiscard]] std::optional<TimePs> given_at(const std::vector<Burst>& bursts, TimePs call_start) const {
    if (lanes_.empty() || !lanes_.front().is_main) return std::nullopt;
    const auto after = std::upper_bound(bursts.begin(), bursts.end(), call_start,
                                        [](TimePs time, const Burst& burst) { return time < burst.begin; });
    if (after == bursts.begin() || (after - 1)->end < call_start || (after - 1)->begin < lanes_.front().begin())
      return std::nullopt;
    const TimePs begin = (after - 1)->begin,
                 moment = lanes_.front().boundary_time(lanes_.front().last_boundary_until(begin));
    return begin - moment <= kLongestPause ? std::optional(moment) : std::nullopt;
  }

  void keep_last_ends(std::vector<Launched>& launched) const {
    std::stable_sort(launched.begin(), launched.end(),
                     [](const Launched& a, const Launched& b) { return a.at < b.at; });
    for (std::size_t i = 1; i < launched.size(); ++i) {
      if (timeline_.works[launched[i - 1].last].end > timeline_.works[launched[i].last].end)
        launched[i].last = launched[i - 1].last;
    }
  }

  // The launches of a stream have numbers; several works of one call have the same. Streams that cannot have been full
  // have none.
  void number_launches() {
    for (const std::vector<std::uint32_t>& launched : timeline_.by_launch) {
      if (launched.size() < kFullStream) continue;
      if (launch_number_.empty())
        launch_number_.resize(timeline_.works.size(), 0), work_of_call_.resize(rank_.event_count(), kNoWork);
      std::uint32_t number = 0;
      EventIndex before = kNoEvent;
      for (const std::uint32_t w : launched) {
        const EventIndex call = timeline_.works[w].call;
        launch_number_[w] = number += call == kNoEvent || call != before ? 1 : 0;
        if (call != kNoEvent) work_of_call_[call] = w;
        before = call;
      }
    }
  }

  [[nodiscard]] std::uint32_t waited_for_room(const Segment& segment) const {
    // The stream had fewer than kFullStream launches in the whole trace.
    if (launch_number_.empty() || work_of_call_[segment.top] == kNoWork) return kNoWork;
    const std::uint32_t launched = work_of_call_[segment.top];
    const std::vector<std::uint32_t>& queue = timeline_.by_queue[timeline_.works[launched].queue];
    const auto ended_by = [&](TimePs time) {
      return std::partition_point(queue.begin(), queue.end(),
                                  [&](std::uint32_t w) { return timeline_.works[w].end <= time; });
    };
    const auto first_open = ended_by(segment.begin), after = ended_by(segment.end);
    if (first_open == queue.end() || after == first_open) return kNoWork;
    if (launch_number_[launched] < launch_number_[*first_open] + kFullStream) return kNoWork;
    const std::uint32_t last = *(after - 1);
    return segment.end - timeline_.works[last].end <= kLongestReturnWithRoom ? last : kNoWork;
  }

  [[nodiscard]] std::uint32_t waited_for_by_name(std::uint32_t lane, const Segment& segment) const {
    const std::uint32_t last = last_ended(timeline_, segment.begin, segment.end);
    if (last == kNoWork) return kNoWork;
    // With several threads that launch, what another one had launched before is none of this one's business.
    auto at = std::upper_bound(timeline_.by_end.begin(), timeline_.by_end.end(), segment.end,
                               [&](TimePs time, std::uint32_t work) { return time < timeline_.works[work].end; });
    for (int asked = 0; at != timeline_.by_end.begin() && asked < kWorksToAsk; ++asked) {
      const DeviceWork& work = timeline_.works[*--at];
      if (work.end <= segment.begin) break;
      if (work.call != kNoEvent && (rank_.lane[work.call] == lanes_[lane].lane || work.call_start > segment.begin))
        return *at;
    }
    return last;
  }

  [[nodiscard]] std::uint32_t waited_for_in_silence(std::uint32_t lane, const Segment& segment) const {
    if (launched_.empty() || (segment.top == kNoEvent && !lanes_[lane].is_main)) return kNoWork;
    const std::uint32_t own = ended_with(launched_[lanes_[lane].lane], segment);
    return own == kNoWork && lanes_[lane].is_main ? ended_with(given_, segment) : own;
  }

  /// The last of what was launched before the segment, if its end is what the segment ended with.
  [[nodiscard]] std::uint32_t ended_with(const std::vector<Launched>& launched, const Segment& segment) const {
    const auto after = std::upper_bound(launched.begin(), launched.end(), segment.begin,
                                        [](TimePs time, const Launched& item) { return time < item.at; });
    if (after == launched.begin()) return kNoWork;
    const std::uint32_t last = (after - 1)->last;
    const DeviceWork& work = timeline_.works[last];
    if (work.end <= segment.begin || work.end > segment.end) return kNoWork;
    const TimePs returned = segment.end - work.end, length = segment.end - segment.begin;
    // What ended in the first half of the segment left the thread something else to do, or to wait for.
    if (work.end - segment.begin < returned) return kNoWork;
    if (is_copy_to_host(work) && segment.begin - work.call_end <= kShortestNamedWait &&
        returned <= kLongestReturnOfCopy)
      return last;
    if (length < kShortestSilence) return kNoWork;
    return returned <= std::clamp(length / 100 * kReturnPercent, kUsualReturn, kLongestSilentReturn) ? last : kNoWork;
  }

  [[nodiscard]] bool is_copy_to_host(const DeviceWork& work) const {
    if (rank_.activity(work.event) != Activity::memory_copy) return false;
    const std::string_view name = trace_.name(rank_, work.event);
    return has_part(name, "D2H") || has_part(name, "DtoH") || has_part(name, "DeviceToHost");
  }

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  const DeviceTimeline& timeline_;
  const std::vector<HostLane>& lanes_;
  Column<std::uint8_t> waits_by_name_;           // by name
  std::vector<std::vector<Launched>> launched_;  // by lane of the trace, by time; empty: not a profile of XLA's runtime
  std::vector<Launched> given_;                  // by helpers, for the main thread: when it gave them that
  std::vector<std::uint32_t> launch_number_;     // by work; empty: no stream can have been full
  std::vector<std::uint32_t> work_of_call_;      // by event: the last work that it launched
  std::vector<SilentWait> waits_;
};

}  // namespace

std::vector<SilentWait> find_silent_waits(const trace::Trace& trace, const trace::RankTrace& rank,
                                          const DeviceTimeline& timeline, const std::vector<HostLane>& lanes) {
  return SilentWaits(trace, rank, timeline, lanes).find();
}

bool is_waiting_call(std::string_view name) {
  static constexpr std::string_view kAnywhere[] = {
      "np.asarray(jax.Array)", "block_until_ready", "BlockUntilReady", "BlockHostUntil", "::Await",
      "Acquire semaphore",     "SemaphoreAcquire",  "effects_barrier", "try_to_block",   "Wait for donation holds",
      "Wait for usage holds"};
  for (const std::string_view part : kAnywhere) {
    if (has_part(name, part)) return true;
  }
  // Methods of jax.Array that need its value: "$array.py:293 __float__".
  static constexpr std::string_view kOfArray[] = {" _value",      " __float__", " __int__",   " __bool__",
                                                  " __complex__", " __index__", " __array__", " item",
                                                  " tolist",      " __str__",   " __repr__",  " __format__"};
  if (!name.starts_with("$array.py:")) return false;
  return std::any_of(std::begin(kOfArray), std::end(kOfArray),
                     [&](std::string_view method) { return name.ends_with(method); });
}

bool uses_xla_runtime(const trace::Trace& trace, const trace::RankTrace& rank) {
  Column<std::uint8_t> is_of_runtime(trace.strings.size(), 0);
  bool any = false;
  for (StringId id = 0; id < is_of_runtime.size(); ++id) {
    const std::string_view name = trace.strings.text(id);
    is_of_runtime[id] = has_part(name, "PjRt") || has_part(name, "PJRT") || has_part(name, "TfrtTpu");
    any = any || is_of_runtime[id] != 0;
  }
  if (!any) return false;
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    if (is_of_runtime[rank.name[e]] != 0) return true;
  }
  return false;
}

std::uint32_t last_ended(const DeviceTimeline& timeline, TimePs after, TimePs until) {
  const auto at = std::upper_bound(timeline.by_end.begin(), timeline.by_end.end(), until,
                                   [&](TimePs time, std::uint32_t work) { return time < timeline.works[work].end; });
  if (at == timeline.by_end.begin() || timeline.works[*(at - 1)].end <= after) return kNoWork;
  return *(at - 1);
}

}  // namespace orrery::causal
