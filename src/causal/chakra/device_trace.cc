#include "causal/chakra/device_trace.h"

#include <algorithm>
#include <bit>
#include <map>

#include "base/radix_sort.h"
#include "causal/hta/name_set.h"
#include "causal/hta/rows.h"
#include "trace/host_trace.h"

// Events are sorted into three kinds by category and name, and each kind by the key that it is looked up by: host
// operators and device work by start, launches by correlation.

namespace orrery::causal::chakra {
namespace {

using trace::EventIndex;
using trace::Field;

enum class Kind : std::uint8_t { other, host, launch, work };

// What an event is to the original, by its category and name alone.
class Classifier {
 public:
  Classifier(const trace::Trace& trace, const trace::RankTrace& rank)
      : rank_(rank),
        is_host_(trace.strings, {"cpu_op", "user_annotation"}),
        is_call_(trace.strings, {"cuda_runtime", "cuda_driver"}),
        is_work_(trace.strings, {"kernel", "gpu_memcpy"}),
        is_launch_(trace.strings,
                   {"cuLaunchKernel", "cuLaunchKernelEx", "cudaLaunchKernel", "cudaLaunchKernelExC", "cudaMemcpy",
                    "cudaMemcpyAsync", "cudaMemcpyFromSymbol", "cudaMemcpyToSymbol", "cudaLaunchCooperativeKernel",
                    "hipLaunchKernel", "hipExtLaunchKernel", "hipExtModuleLaunchKernel", "hipModuleLaunchKernel",
                    "hipMemcpyWithStream", "hipMemcpyAsync"}),
        is_step_(trace.strings.size()) {
    for (StringId id = 0; id < is_step_.size(); ++id)
      // Anywhere in the name, as the original looks for it.
      is_step_[id] = trace.strings.text(id).find("ProfilerStep") != std::string_view::npos;
  }

  Kind operator()(EventIndex e) const {
    const StringId category = rank_.categories[rank_.category[e]].text;
    if (is_host_(category)) return is_step_[rank_.name[e]] != 0 ? Kind::other : Kind::host;
    // Calls that launch nothing are of no interest to the original.
    if (is_call_(category)) return is_launch_(rank_.name[e]) ? Kind::launch : Kind::other;
    return is_work_(category) ? Kind::work : Kind::other;
  }

 private:
  const trace::RankTrace& rank_;
  hta::NameSet is_host_, is_call_, is_work_, is_launch_;
  Column<std::uint8_t> is_step_;
};

class EventSorter {
 public:
  EventSorter(const trace::Trace& trace, const trace::RankTrace& rank)
      : rank_(rank),
        kind_of_(trace, rank),
        epoch_us_(hta::written_epoch_us(rank)),
        external_id_(rank.field(Field::external_id).dense(rank.event_count(), kNoExternalId)),
        correlation_(rank.field(Field::correlation).dense(rank.event_count(), -1)) {}

  Result<DeviceTrace> sort() {
    number_threads();
    for (EventIndex e = 0; e < rank_.event_count(); ++e) {
      switch (kind_of_(e)) {
        case Kind::host: host_.push_back({radix_key_of(start_of(e)), e}); break;
        case Kind::launch: launches_.push_back({radix_key(correlation_[e]), e}); break;
        case Kind::work: work_.push_back({radix_key_of(start_of(e)), e}); break;
        case Kind::other: break;
      }
    }
    radix_sort(host_);
    radix_sort(launches_);
    radix_sort(work_);
    take_host_ops();
    take_work();
    if (const Status taken = take_launches(); !taken) return taken.error();
    return std::move(result_);
  }

 private:
  double start_of(EventIndex e) const { return hta::microseconds_as_double(epoch_us_, rank_.start[e]); }
  // The end of a pair of events (ph B and E) is an event of its own to the original.
  double duration_of(EventIndex e) const {
    return (rank_.flags[e] & trace::kHasDuration) != 0 ? hta::microseconds_as_double(0, rank_.duration[e]) : 0;
  }

  void number_threads() {
    std::map<trace::LaneKey, std::uint32_t> number_of;
    for (const trace::Lane& lane : rank_.lanes) {
      const auto [at, is_new] = number_of.emplace(lane.thread, static_cast<std::uint32_t>(number_of.size()));
      if (is_new) result_.threads.push_back(lane.thread);
      result_.thread_of_lane.push_back(at->second);
    }
  }

  void take_host_ops() {
    const auto record_function = rank_.field(Field::record_function).dense(rank_.event_count(), trace::kNoNumber);
    HostOps& host = result_.host;
    for (const KeyedIndex& item : host_) {
      const EventIndex e = item.index;
      host.event.push_back(e);
      host.ts.push_back(start_of(e));
      host.dur.push_back(duration_of(e));
      host.thread.push_back(result_.thread_of_lane[rank_.lane[e]]);
      host.external_id.push_back(external_id_[e]);
      host.record_function.push_back(record_function[e]);
    }
  }

  void take_work() {
    DeviceWork& work = result_.work;
    for (const KeyedIndex& item : work_) {
      const EventIndex e = item.index;
      work.event.push_back(e);
      work.ts.push_back(start_of(e));
      work.dur.push_back(duration_of(e));
      work.external_id.push_back(external_id_[e]);
      work.correlation.push_back(correlation_[e]);
    }
  }

  Status take_launches() {
    LaunchCalls& launches = result_.launches;
    for (const KeyedIndex& item : launches_) {
      const EventIndex e = item.index;
      if (!launches.correlation.empty() && launches.correlation.back() == correlation_[e]) {
        Error error = stop(rank_.source.path, "two launches have the correlation " + std::to_string(correlation_[e]));
        error.offset = rank_.source_offset[e];
        return error;
      }
      launches.correlation.push_back(correlation_[e]);
      launches.ts.push_back(start_of(e));
      launches.thread.push_back(result_.thread_of_lane[rank_.lane[e]]);
    }
    return {};
  }

  const trace::RankTrace& rank_;
  Classifier kind_of_;
  std::int64_t epoch_us_;
  Column<std::int64_t> external_id_, correlation_;
  Column<KeyedIndex> host_, launches_, work_;
  DeviceTrace result_;
};

}  // namespace

std::size_t LaunchCalls::find(std::int64_t with_correlation) const {
  const std::int64_t* at = std::lower_bound(correlation.begin(), correlation.end(), with_correlation);
  return at == correlation.end() || *at != with_correlation ? kMissing
                                                            : static_cast<std::size_t>(at - correlation.begin());
}

Result<DeviceTrace> sort_events(const trace::Trace& trace, const trace::RankTrace& rank) {
  return EventSorter(trace, rank).sort();
}

std::uint64_t radix_key_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);  // -0 is 0
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  // Order of doubles as order of integers: negative ones reversed, positive ones above them.
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

}  // namespace orrery::causal::chakra
