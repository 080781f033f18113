#include "analyze/device/operator_delays.h"

#include <algorithm>
#include <unordered_map>

#include "analyze/distribution.h"
#include "base/int128.h"
#include "base/parallel.h"

namespace orrery::analyze {
namespace {

using trace::EventIndex;

// Names by number: comparing texts of kernels takes longer than all the rest, and is left to the few groups in the end.
struct HashOfNames {
  std::size_t operator()(const std::vector<StringId>& names) const {
    std::uint64_t hash = names.size();
    for (const StringId name : names) hash = (hash ^ name) * 0x9E3779B97F4A7C15ULL;
    return hash;
  }
};

struct DelaySums {
  OperatorDelay delay;
  Int128 launch = 0, runtime = 0;
};

TimePs mean_of(Int128 sum, std::size_t count) {
  const Int128 half = static_cast<Int128>(count / 2);
  return static_cast<TimePs>((sum + (sum >= 0 ? half : -half)) / static_cast<Int128>(count));
}

// Works in order of their calls, those of one operator side by side.
std::vector<std::pair<EventIndex, std::uint32_t>> by_operator(const DeviceRank& devices, bool with_memory, std::size_t& works_without) {
  std::vector<std::pair<EventIndex, std::uint32_t>> works;
  for (std::uint32_t w = 0; w < devices.timeline.works.size(); ++w) {
    if (!devices.belongs(w) || (!with_memory && devices.types[w] >= WorkType::memory_copy)) continue;
    const EventIndex op = devices.operators.empty() ? causal::kNoEvent : devices.operators[w];
    if (op == causal::kNoEvent) ++works_without;
    else works.emplace_back(op, w);
  }
  std::stable_sort(works.begin(), works.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return devices.timeline.works[a.second].call_start < devices.timeline.works[b.second].call_start;
  });
  return works;
}

RankOperators operators_of_rank(const DeviceRank& devices, bool with_memory) {
  RankOperators result;
  result.devices = &devices;
  const auto works = by_operator(devices, with_memory, result.works_without);
  std::unordered_map<std::vector<StringId>, DelaySums, HashOfNames> groups;
  for (std::size_t first = 0; first < works.size();) {
    const EventIndex op = works[first].first;
    std::size_t last = first;
    std::vector<StringId> key = {devices.rank->name[op]};
    for (; last < works.size() && works[last].first == op; ++last) key.push_back(devices.name_of(works[last].second));
    DelaySums& sums = groups[key];
    OperatorDelay& delay = sums.delay;
    if (delay.count++ == 0) {
      delay.op = key.front();
      delay.kernels.assign(key.begin() + 1, key.end());
    }
    const causal::DeviceWork& work = devices.timeline.works[works[first].second];
    sums.launch += work.call_start - devices.rank->start[op];
    sums.runtime += work.start - work.call_start;
    for (; first < last; ++first) delay.device_time = plus_capped(delay.device_time, devices.time_of(works[first].second));
  }
  for (auto& [key, sums] : groups) {
    sums.delay.launch_delay = mean_of(sums.launch, sums.delay.count);
    sums.delay.runtime_delay = mean_of(sums.runtime, sums.delay.count);
    result.operators.push_back(std::move(sums.delay));
  }
  const auto text = [&](StringId id) { return devices.trace->strings.text(id); };
  std::sort(result.operators.begin(), result.operators.end(), [&](const OperatorDelay& a, const OperatorDelay& b) {
    if (a.count != b.count) return a.count > b.count;
    if (a.op != b.op) return text(a.op) < text(b.op);
    return std::lexicographical_compare(a.kernels.begin(), a.kernels.end(), b.kernels.begin(), b.kernels.end(),
                                        [&](StringId left, StringId right) { return text(left) < text(right); });
  });
  return result;
}

}  // namespace

std::vector<RankOperators> measure_operators(const std::vector<DeviceRank>& ranks, bool with_memory) {
  std::vector<RankOperators> operators(ranks.size());
  parallel_for(ranks.size(), [&](std::size_t r) { operators[r] = operators_of_rank(ranks[r], with_memory); });
  return operators;
}

}  // namespace orrery::analyze
