#include "causal/host/host_waits.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "causal/diagnostics.h"

// From what is recorded to what must be inferred. Synchronisation events of CUPTI say for which stream or event a call
// waited; copies that ended inside of their calls held them; and a blocking call without such a record waited for the
// work that ended last before it returned. A call whose wait is recorded takes no part in the inference.

namespace orrery::causal {
namespace {

using trace::Activity;
using trace::EventIndex;
using trace::Field;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

class HostWaits {
 public:
  HostWaits(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceTimeline& timeline,
            const trace::ContentOrder& content)
      : trace_(trace),
        rank_(rank),
        timeline_(timeline),
        content_(content),
        calls_(rank, content),
        queues_(trace, rank),
        recorded_(rank.event_count(), 0) {}

  std::vector<HostWait> find(Diagnostics& diagnostics) {
    bool any_recorded = false;
    for (EventIndex e = 0; e < rank_.event_count(); ++e) {
      if (rank_.activity(e) != Activity::synchronization) continue;
      any_recorded = true;
      add_recorded(e);
    }
    if (!any_recorded && !timeline_.works.empty()) diagnostics.add(kNoSyncEvents, [&] { return rank_.source.path; });
    add_finished_copies();
    add_inferred();
    // Calls that are alike in everything are kept apart by their number, so that the waits of each come together.
    std::sort(waits_.begin(), waits_.end(), [&](const HostWait& a, const HostWait& b) {
      if (a.call == b.call) return std::tuple(a.work, a.inferred) < std::tuple(b.work, b.inferred);
      return content_.before(a.call, b.call) || (!content_.before(b.call, a.call) && a.call < b.call);
    });
    return std::move(waits_);
  }

 private:
  void add(EventIndex call, std::uint32_t work, bool inferred) {
    // A call that had returned by then cannot have waited for it.
    if (rank_.duration[call] > 0 && timeline_.works[work].end <= rank_.end(call))
      waits_.push_back({call, work, inferred});
  }

  // The last work of the queue launched until `before` that had ended when the call returned: what ends later was
  // launched without a recorded call, or clocks disagree. What another thread launched in the same moment counts: it
  // had ended when the call returned.
  [[nodiscard]] std::uint32_t last_waited_for(std::uint32_t queue, TimePs before, TimePs returned) const {
    const auto& launched = timeline_.by_launch[queue];
    auto at = std::upper_bound(launched.begin(), launched.end(), before,
                               [&](TimePs t, std::uint32_t work) { return t < timeline_.works[work].call_start; });
    while (at != launched.begin()) {
      if (timeline_.works[*--at].end <= returned) return *at;
    }
    return kNoWork;
  }

  void add_recorded(EventIndex e) {
    const auto correlation = rank_.field(Field::correlation).find(e);
    const EventIndex call = correlation ? calls_.find(*correlation) : kNoEvent;
    // The call was cut off by the begin of the recording: there is nobody who waited.
    if (call == kNoEvent) return;
    const std::string_view name = trace_.name(rank_, e);
    const Queue queue = queues_.of(e);
    const TimePs entered = rank_.start[call];
    const auto add_last_of = [&](std::uint32_t number, TimePs before) {
      if (number == kNoWork) return;
      if (const std::uint32_t work = last_waited_for(number, before, rank_.end(call)); work != kNoWork)
        add(call, work, false);
    };
    if (name == "Stream Sync") {
      recorded_[call] = 1;
      add_last_of(find_queue(timeline_, queue), entered);
    } else if (name == "Context Sync") {
      recorded_[call] = 1;
      for (std::uint32_t number = 0; number < timeline_.queues.size(); ++number) {
        if (timeline_.queues[number].device == queue.device) add_last_of(number, entered);
      }
    } else if (name == "Event Sync") {
      const auto record = rank_.field(Field::wait_on_record).find(e);
      const auto stream = rank_.field(Field::wait_on_stream).find(e);
      const EventIndex record_call = record ? calls_.find(*record) : kNoEvent;
      if (record_call == kNoEvent || !stream)
        return;  // it does not say what for: inferred like a call without a record
      recorded_[call] = 1;
      add_last_of(find_queue(timeline_, {queue.device, *stream}), rank_.start[record_call]);
    }
  }

  // A copy that ended before the call that asked for it returned: the call waited (pageable memory, or a synchronous
  // copy).
  void add_finished_copies() {
    for (std::uint32_t w = 0; w < timeline_.works.size(); ++w) {
      const DeviceWork& work = timeline_.works[w];
      if (work.call == kNoEvent || rank_.activity(work.event) != Activity::memory_copy) continue;
      // Copies inside of graphs belong to the call that launched the graph, which returns at once.
      if (!contains(trace_.name(rank_, work.call), "Memcpy")) continue;
      if (work.submission == Submission::within) waits_.push_back({work.call, w, false});
      else add(work.call, w, false);
    }
  }

  void add_inferred() {
    Column<std::uint8_t> is_blocking(trace_.strings.size());
    for (StringId id = 0; id < is_blocking.size(); ++id) is_blocking[id] = is_blocking_call(trace_.strings.text(id));
    for (EventIndex call = 0; call < rank_.event_count(); ++call) {
      if (is_blocking[rank_.name[call]] == 0 || recorded_[call] != 0 || rank_.activity(call) != Activity::runtime_call)
        continue;
      const TimePs entered = rank_.start[call];
      const auto after =
          std::upper_bound(timeline_.by_end.begin(), timeline_.by_end.end(), rank_.end(call),
                           [&](TimePs time, std::uint32_t work) { return time < timeline_.works[work].end; });
      for (auto at = after; at != timeline_.by_end.begin();) {
        const DeviceWork& work = timeline_.works[*--at];
        // An event may have been recorded long before: what ended before the call is none of its business.
        if (work.end <= entered && contains(trace_.name(rank_, call), "Event")) break;
        // What was launched after the call was entered, it cannot wait for; nor for work of its own, which
        // add_finished_copies has looked at.
        if (work.call_start > entered || work.call == call) continue;
        add(call, *at, true);
        break;
      }
    }
  }

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  const DeviceTimeline& timeline_;
  const trace::ContentOrder& content_;
  CallIndex calls_;
  QueueIndex queues_;
  Column<std::uint8_t> recorded_;
  std::vector<HostWait> waits_;
};

}  // namespace

bool is_blocking_call(std::string_view name) {
  const bool is_runtime =
      name.starts_with("cuda") || name.starts_with("cu") || name.starts_with("hip") || name.starts_with("mtia");
  if (!is_runtime) return false;
  if (contains(name, "Synchronize")) return true;
  // Freeing memory waits for the device as well, since work that is queued may use it.
  static constexpr std::string_view kNames[] = {
      "cudaMemcpy",    "cudaMemcpy2D",  "hipMemcpy",       "hipMemcpyWithStream",
      "hipMemcpyDtoH", "hipMemcpyHtoD", "cuMemcpyDtoH_v2", "cuMemcpyHtoD_v2",
      "cudaFree",      "hipFree",       "cudaFreeHost",    "hipHostFree"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

std::vector<HostWait> find_host_waits(const trace::Trace& trace, const trace::RankTrace& rank,
                                      const DeviceTimeline& timeline, const trace::ContentOrder& content,
                                      Diagnostics& diagnostics) {
  return HostWaits(trace, rank, timeline, content).find(diagnostics);
}

}  // namespace orrery::causal
