#include "analyze/device/launch_delays.h"

#include <algorithm>
#include <map>

#include "base/parallel.h"
#include "trace/made_up_call.h"

namespace orrery::analyze {
namespace {

using trace::Activity;
using trace::EventIndex;

struct CallTimes {
  StringId name = 0;
  std::size_t works = 0;
  std::vector<TimePs> host, delay;
};

// By its name, for calls whose work is nowhere to be seen. (cudaLaunchHostFunc runs on the host.)
bool is_launch(std::string_view name) {
  return name.find("LaunchKernel") != std::string_view::npos || name.find("GraphLaunch") != std::string_view::npos;
}

std::size_t launches_without_work(const DeviceRank& devices, const std::vector<std::uint32_t>& works_of_call) {
  const trace::RankTrace& rank = *devices.rank;
  std::size_t count = 0;
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    if (works_of_call[e] != 0 || rank.activity(e) != Activity::runtime_call) continue;
    if (rank.start[e] < devices.window.begin || rank.start[e] >= devices.window.end) continue;
    count += is_launch(devices.trace->name(rank, e)) ? 1 : 0;
  }
  return count;
}

class LaunchMeter {
 public:
  LaunchMeter(const DeviceRank& devices, const LaunchRequest& request)
      : devices_(devices), request_(request), works_of_call_(devices.rank->event_count(), 0) {
    launches_.devices = &devices;
  }

  RankLaunches run() {
    // Also work outside the window or of other types says that its call launched something.
    for (const causal::DeviceWork& work : devices_.timeline.works) {
      if (work.call != causal::kNoEvent) works_of_call_[work.call] += 1;
    }
    launches_.calls_without_work = launches_without_work(devices_, works_of_call_);
    std::vector<std::uint8_t> is_counted(devices_.rank->event_count(), 0);
    for (std::uint32_t w = 0; w < devices_.timeline.works.size(); ++w) {
      if (!devices_.belongs(w) || (!request_.with_memory && devices_.types[w] >= WorkType::memory_copy)) continue;
      const causal::DeviceWork& work = devices_.timeline.works[w];
      if (work.call == causal::kNoEvent || devices_.rank->duration[work.call] == trace::kMadeUpCallPs) {
        ++launches_.works_without_call;
        continue;
      }
      add_work(work);
      if (std::exchange(is_counted[work.call], 1) == 0) add_call(work.call);
    }
    finish();
    return std::move(launches_);
  }

 private:
  CallTimes& times_of(EventIndex call) {
    CallTimes& times = by_name_[devices_.trace->name(*devices_.rank, call)];
    times.name = devices_.rank->name[call];
    return times;
  }

  [[nodiscard]] TimePs host_time(EventIndex call) const { return std::max<TimePs>(0, devices_.rank->duration[call]); }

  void add_work(const causal::DeviceWork& work) {
    const TimePs host = host_time(work.call), length = work.end - work.start, delay = work.start - work.call_start;
    work_.push_back(length);
    delay_.push_back(delay);
    CallTimes& times = times_of(work.call);
    ++times.works;
    times.delay.push_back(delay);
    launches_.short_kernels += host <= request_.runtime_cutoff && length < host ? 1 : 0;
    launches_.delay_outliers += delay > request_.delay_cutoff ? 1 : 0;
  }

  void add_call(EventIndex call) {
    const TimePs host = host_time(call);
    host_.push_back(host);
    times_of(call).host.push_back(host);
    launches_.graph_calls += works_of_call_[call] > 1 ? 1 : 0;
    launches_.runtime_outliers += host > request_.runtime_cutoff ? 1 : 0;
  }

  void finish() {
    launches_.host = distribution_of(host_);
    launches_.work = distribution_of(work_);
    launches_.delay = distribution_of(delay_);
    for (auto& [text, times] : by_name_)
      launches_.calls.push_back({times.name, times.works, distribution_of(times.host), distribution_of(times.delay)});
    std::stable_sort(launches_.calls.begin(), launches_.calls.end(),
                     [](const LaunchCall& a, const LaunchCall& b) { return a.host.sum > b.host.sum; });
  }

  const DeviceRank& devices_;
  const LaunchRequest& request_;
  std::vector<std::uint32_t> works_of_call_;
  std::map<std::string_view, CallTimes> by_name_;
  std::vector<TimePs> host_, work_, delay_;
  RankLaunches launches_;
};

}  // namespace

std::vector<RankLaunches> measure_launches(const std::vector<DeviceRank>& ranks, const LaunchRequest& request) {
  std::vector<RankLaunches> launches(ranks.size());
  parallel_for(ranks.size(), [&](std::size_t r) { launches[r] = LaunchMeter(ranks[r], request).run(); });
  return launches;
}

}  // namespace orrery::analyze
