#include "analyze/device/kernel_sums.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "analyze/device/annotation_segments.h"
#include "analyze/device/device_sweep.h"
#include "base/parallel.h"

namespace orrery::analyze {
namespace {

// Durations by name and type.
class CallGroups {
 public:
  void add(const DeviceRank& devices, bool with_memory) {
    for (std::uint32_t w = 0; w < devices.timeline.works.size(); ++w) {
      const WorkType type = devices.types[w];
      if (!devices.belongs(w) || (!with_memory && type >= WorkType::memory_copy)) continue;
      const std::uint64_t key = std::uint64_t{devices.name_of(w)} * kWorkTypes + static_cast<std::uint64_t>(type);
      groups_[key].push_back(devices.time_of(w));
    }
  }

  std::vector<KernelSum> take(const Interner& strings, const KernelRequest& request) {
    std::vector<KernelSum> sums;
    for (auto& [key, calls] : groups_) {
      sums.push_back({.name = static_cast<StringId>(key / kWorkTypes),
                      .type = static_cast<WorkType>(key % kWorkTypes),
                      .is_rest = false,
                      .names = 1,
                      .calls = distribution_of(calls)});
    }
    std::sort(sums.begin(), sums.end(), [&](const KernelSum& a, const KernelSum& b) {
      const std::int64_t left = weight_of(a, request.order), right = weight_of(b, request.order);
      if (left != right) return left > right;
      if (a.name != b.name) return strings.text(a.name) < strings.text(b.name);
      return a.type < b.type;
    });
    if (request.top != 0 && sums.size() > request.top) put_rest_together(sums, request.top);
    return sums;
  }

 private:
  static std::int64_t weight_of(const KernelSum& sum, KernelOrder order) {
    switch (order) {
      case KernelOrder::calls: return static_cast<std::int64_t>(sum.calls.count);
      case KernelOrder::mean: return sum.calls.mean;
      case KernelOrder::longest: return sum.calls.most;
      case KernelOrder::time: break;
    }
    return sum.calls.sum;
  }

  void put_rest_together(std::vector<KernelSum>& sums, std::size_t top) {
    std::vector<TimePs> calls;
    for (std::size_t i = top; i < sums.size(); ++i) {
      const std::vector<TimePs>& group =
          groups_[std::uint64_t{sums[i].name} * kWorkTypes + static_cast<std::uint64_t>(sums[i].type)];
      calls.insert(calls.end(), group.begin(), group.end());
    }
    const std::size_t names = sums.size() - top;
    sums.resize(top);
    sums.push_back(
        {.name = 0, .type = WorkType::computation, .is_rest = true, .names = names, .calls = distribution_of(calls)});
  }

  std::unordered_map<std::uint64_t, std::vector<TimePs>> groups_;
};

// The annotation a piece of work was launched in: the innermost of the launching thread. The thread of autograd has
// none of its own: it works for the main thread, which stands in its backward pass meanwhile. Where the launch was not
// recorded or lies in none, the innermost one that the profiler drew on the device's lane.
class LaunchingAnnotation {
 public:
  explicit LaunchingAnnotation(const DeviceRank& devices)
      : rank_(*devices.rank),
        main_lane_(devices.window.main_lane),
        host_(devices, trace::Activity::annotation),
        device_(devices, trace::Activity::device_annotation),
        is_autograd_(rank_.lanes.size(), 0) {
    for (trace::EventIndex e = 0; e < rank_.event_count(); ++e) {
      if (is_autograd_[rank_.lane[e]] == 0 && rank_.activity(e) == trace::Activity::cpu_operator)
        is_autograd_[rank_.lane[e]] = devices.trace->name(rank_, e).starts_with("autograd::") ? 1 : 0;
    }
  }

  [[nodiscard]] trace::EventIndex of(const causal::DeviceWork& work) const {
    trace::EventIndex found = causal::kNoEvent;
    if (work.call != causal::kNoEvent) {
      const trace::LaneIndex lane = rank_.lane[work.call];
      found = host_.find(lane, work.call_start);
      if (found == causal::kNoEvent && is_autograd_[lane] != 0 && main_lane_)
        found = host_.find(*main_lane_, work.call_start);
    }
    return found != causal::kNoEvent ? found : device_.find(rank_.lane[work.event], work.start);
  }

 private:
  const trace::RankTrace& rank_;
  std::optional<trace::LaneIndex> main_lane_;
  AnnotationSegments host_;
  AnnotationSegments device_;
  std::vector<std::uint8_t> is_autograd_;
};

std::vector<AnnotationKernels> sum_by_annotation(const DeviceRank& devices, bool with_memory) {
  const LaunchingAnnotation launched_in(devices);
  std::map<std::string_view, AnnotationKernels> by_name;
  AnnotationKernels none{.annotation = 0, .is_none = true, .works = 0, .time = 0};
  for (std::uint32_t w = 0; w < devices.timeline.works.size(); ++w) {
    if (!devices.belongs(w) || (!with_memory && devices.types[w] >= WorkType::memory_copy)) continue;
    const trace::EventIndex event = launched_in.of(devices.timeline.works[w]);
    AnnotationKernels& sum = event == causal::kNoEvent ? none : by_name[devices.trace->name(*devices.rank, event)];
    if (event != causal::kNoEvent) sum.annotation = devices.rank->name[event];
    ++sum.works;
    sum.time = plus_capped(sum.time, devices.time_of(w));
  }
  std::vector<AnnotationKernels> sums;
  sums.reserve(by_name.size() + 1);
  for (const auto& [name, sum] : by_name) sums.push_back(sum);
  if (none.works > 0) sums.push_back(none);
  std::stable_sort(sums.begin(), sums.end(),
                   [](const AnnotationKernels& a, const AnnotationKernels& b) { return a.time > b.time; });
  return sums;
}

RankKernels kernels_of_rank(const DeviceRank& devices, const KernelRequest& request) {
  RankKernels kernels;
  kernels.devices = &devices;
  kernels.times.resize(devices.devices.size());
  for (std::size_t d = 0; d < devices.devices.size(); ++d)
    kernels.times[d].device = devices.devices[d], kernels.times[d].window = devices.window.span();
  constexpr std::size_t kMemory = std::size_t{1} << static_cast<std::size_t>(WorkType::memory_copy) |
                                  std::size_t{1} << static_cast<std::size_t>(WorkType::memory_set);
  const std::size_t asked = request.with_memory ? kTypeSets - 1 : (kTypeSets - 1) & ~kMemory;
  sweep_devices(devices, [&](const Stretch& s) { kernels.times[s.device].busy[s.types & asked] += s.end - s.begin; });
  for (std::uint32_t w = 0; w < devices.timeline.works.size(); ++w) {
    const auto type = static_cast<std::size_t>(devices.types[w]);
    if (!devices.belongs(w) || (asked >> type & 1U) == 0) continue;
    ++kernels.works[type];
    kernels.time[type] = plus_capped(kernels.time[type], devices.time_of(w));
  }
  CallGroups groups;
  groups.add(devices, request.with_memory);
  kernels.sums = groups.take(devices.trace->strings, request);
  kernels.by_annotation = sum_by_annotation(devices, request.with_memory);
  return kernels;
}

}  // namespace

std::vector<RankKernels> sum_kernels(const std::vector<DeviceRank>& ranks, const KernelRequest& request) {
  std::vector<RankKernels> kernels(ranks.size());
  parallel_for(ranks.size(), [&](std::size_t r) { kernels[r] = kernels_of_rank(ranks[r], request); });
  return kernels;
}

std::vector<KernelSum> sum_over_ranks(const std::vector<DeviceRank>& ranks, const KernelRequest& request) {
  CallGroups groups;
  for (const DeviceRank& devices : ranks) groups.add(devices, request.with_memory);
  return ranks.empty() ? std::vector<KernelSum>{} : groups.take(ranks.front().trace->strings, request);
}

}  // namespace orrery::analyze
