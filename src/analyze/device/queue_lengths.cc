#include "analyze/device/queue_lengths.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyze/distribution.h"
#include "base/parallel.h"

namespace orrery::analyze {
namespace {

// When work came into a queue, and which; when any left it.
struct Passages {
  std::vector<std::pair<TimePs, std::uint32_t>> in;
  std::vector<TimePs> out;
};

std::int64_t length_at(const std::map<std::int64_t, TimePs>& times, TimePs span, double share) {
  TimePs passed = 0;
  for (const auto& [length, time] : times) {
    passed += time;
    if (static_cast<double>(passed) >= share * static_cast<double>(span)) return length;
  }
  return times.empty() ? 0 : times.rbegin()->first;
}

// Goes through the passages in order of time; on_enter(work, length before it).
template <typename OnEnter>
LengthTimes weigh(Passages& passages, const causal::StepWindow& window, OnEnter&& on_enter) {
  std::sort(passages.in.begin(), passages.in.end());
  std::sort(passages.out.begin(), passages.out.end());
  std::map<std::int64_t, TimePs> times;
  std::int64_t length = 0;
  TimePs since = window.begin;
  const auto pass_until = [&](TimePs time) {
    const TimePs until = std::clamp(time, window.begin, window.end);
    if (until > since) times[length] += until - since, since = until;
  };
  for (std::size_t in = 0, out = 0; in < passages.in.size() || out < passages.out.size();) {
    // What leaves at the moment in which something else comes was not in the queue with it.
    if (in == passages.in.size() || (out < passages.out.size() && passages.out[out] <= passages.in[in].first)) {
      pass_until(passages.out[out++]);
      --length;
      continue;
    }
    pass_until(passages.in[in].first);
    on_enter(passages.in[in++].second, length++);
  }
  pass_until(window.end);
  LengthTimes result;
  const TimePs span = window.span();
  for (const auto& [n, time] : times)
    result.mean += static_cast<double>(n) * (static_cast<double>(time) / static_cast<double>(span));
  result.quarter = length_at(times, span, 0.25);
  result.median = length_at(times, span, 0.5);
  result.three_quarters = length_at(times, span, 0.75);
  result.most = times.empty() ? 0 : times.rbegin()->first;
  return result;
}

// What calls of a name usually take on this rank.
class TypicalCalls {
 public:
  explicit TypicalCalls(const DeviceRank& devices) : rank_(*devices.rank) {
    std::map<StringId, std::vector<TimePs>> times;
    std::vector<std::uint8_t> seen(rank_.event_count(), 0);
    for (const causal::DeviceWork& work : devices.timeline.works) {
      if (work.call != causal::kNoEvent && std::exchange(seen[work.call], 1) == 0)
        times[rank_.name[work.call]].push_back(std::max<TimePs>(0, rank_.duration[work.call]));
    }
    for (auto& [name, values] : times) median_[name] = distribution_of(values).median;
  }

  [[nodiscard]] TimePs excess(trace::EventIndex call) const {
    const auto at = median_.find(rank_.name[call]);
    return at == median_.end() ? 0 : std::max<TimePs>(0, rank_.duration[call] - at->second);
  }

 private:
  const trace::RankTrace& rank_;
  std::map<StringId, TimePs> median_;
};

QueueTimes measure_queue(const DeviceRank& devices, const std::vector<std::uint32_t>& works,
                         const TypicalCalls& typical, std::int64_t limit) {
  QueueTimes queue;
  Passages until_end, until_start;
  for (const std::uint32_t w : works) {
    const causal::DeviceWork& work = devices.timeline.works[w];
    // Work cannot have started before it was asked for: where clocks disagree, it waited no time.
    until_end.in.emplace_back(std::min(work.call_start, work.start), w);
    until_end.out.push_back(work.end);
    until_start.out.push_back(work.start);
    queue.works += devices.belongs(w) ? 1 : 0;
  }
  until_start.in = until_end.in;
  queue.until_end = weigh(until_end, devices.window, [](std::uint32_t, std::int64_t) {});
  std::set<trace::EventIndex> full;
  queue.until_start = weigh(until_start, devices.window, [&](std::uint32_t w, std::int64_t waiting) {
    const trace::EventIndex call = devices.timeline.works[w].call;
    // A graph enters with all its work in one call.
    const TimePs entered = devices.rank->start[call];
    if (waiting < limit || entered < devices.window.begin || entered >= devices.window.end || !full.insert(call).second)
      return;
    ++queue.full_calls;
    queue.blocked = plus_capped(queue.blocked, typical.excess(call));
  });
  return queue;
}

RankQueues queues_of_rank(const DeviceRank& devices, std::int64_t limit, bool with_memory) {
  RankQueues result;
  result.devices = &devices;
  const TypicalCalls typical(devices);
  for (std::uint32_t d = 0; d < devices.devices.size(); ++d) {
    std::vector<std::uint32_t> of_device;
    std::vector<QueueTimes> streams;
    for (std::size_t q = 0; q < devices.timeline.queues.size(); ++q) {
      if (devices.device_of_queue[q] != d) continue;
      std::vector<std::uint32_t> works = devices.timeline.by_launch[q];
      std::erase_if(works, [&](std::uint32_t w) {
        return devices.timeline.works[w].call == causal::kNoEvent ||
               (!with_memory && devices.types[w] >= WorkType::memory_copy);
      });
      of_device.insert(of_device.end(), works.begin(), works.end());
      streams.push_back(measure_queue(devices, works, typical, limit));
      streams.back().device = devices.devices[d];
      streams.back().stream = devices.timeline.queues[q].stream;
    }
    QueueTimes all = measure_queue(devices, of_device, typical, limit);
    all.device = devices.devices[d];
    result.queues.push_back(all);
    for (const QueueTimes& stream : streams) {
      if (stream.works > 0) result.queues.push_back(stream);
    }
  }
  return result;
}

}  // namespace

std::vector<RankQueues> measure_queues(const std::vector<DeviceRank>& ranks, std::int64_t limit, bool with_memory) {
  std::vector<RankQueues> queues(ranks.size());
  parallel_for(ranks.size(), [&](std::size_t r) { queues[r] = queues_of_rank(ranks[r], limit, with_memory); });
  return queues;
}

}  // namespace orrery::analyze
