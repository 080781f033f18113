#include "analyze/device/operator_delays.h"

#include <algorithm>
#include <unordered_map>

#include "analyze/distribution.h"
#include "base/int128.h"
#include "base/parallel.h"

// Two views of the same join of works to operators. The tree has a node per path of operator names, filled from the
// works inward and added up from the leaves; the table has a row per operator and list of kernels, with the mean delays
// of the first of them.

namespace orrery::analyze {
namespace {

using trace::EventIndex;

class TreeMaker {
 public:
  TreeMaker(const DeviceRank& devices, bool with_memory)
      : devices_(devices), with_memory_(with_memory), node_of_(devices.rank->event_count(), kNoNode) {}

  RankOperatorTree make() {
    for (std::uint32_t w = 0; w < devices_.operators.size(); ++w) add(w);
    // A node comes behind the one around it, so that from the back all inside are complete.
    for (std::size_t n = nodes_.size(); n-- > 0;) {
      OperatorNode& node = nodes_[n];
      node.works += node.own_works;
      node.device_time = plus_capped(node.device_time, node.own_device_time);
      if (around_[n] == kNoNode) continue;
      nodes_[around_[n]].works += node.works;
      nodes_[around_[n]].device_time = plus_capped(nodes_[around_[n]].device_time, node.device_time);
    }
    return {&devices_, in_tree_order()};
  }

 private:
  static constexpr std::uint32_t kNoNode = ~std::uint32_t{0};

  void add(std::uint32_t w) {
    if (devices_.operators[w] == causal::kNoEvent || !devices_.belongs(w)) return;
    if (!with_memory_ && devices_.types[w] >= WorkType::memory_copy) return;
    OperatorNode& node = nodes_[node_of(devices_.operators[w])];
    ++node.own_works;
    node.own_device_time = plus_capped(node.own_device_time, devices_.time_of(w));
  }

  std::uint32_t node_of(EventIndex op) {
    inside_.clear();
    EventIndex known = op;
    for (; known != causal::kNoEvent && node_of_[known] == kNoNode; known = devices_.operator_around[known])
      inside_.push_back(known);
    std::uint32_t node = known == causal::kNoEvent ? kNoNode : node_of_[known];
    // From the outermost that is not known yet inward.
    for (auto e = inside_.rbegin(); e != inside_.rend(); ++e) {
      node = child_of(node, devices_.rank->name[*e]);
      node_of_[*e] = node;
      ++nodes_[node].calls;
      nodes_[node].host_time = plus_capped(nodes_[node].host_time, devices_.rank->duration[*e]);
    }
    return node;
  }

  std::uint32_t child_of(std::uint32_t around, StringId op) {
    const auto [at, is_new] =
        numbers_.try_emplace(std::uint64_t{around} << 32 | op, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) {
      nodes_.push_back({.op = op, .depth = around == kNoNode ? 0 : nodes_[around].depth + 1});
      around_.push_back(around);
    }
    return at->second;
  }

  [[nodiscard]] std::vector<OperatorNode> in_tree_order() const {
    std::vector<std::vector<std::uint32_t>> inside(nodes_.size() + 1);  // the last: inside nothing
    for (std::uint32_t n = 0; n < nodes_.size(); ++n)
      inside[around_[n] == kNoNode ? nodes_.size() : around_[n]].push_back(n);
    const auto text = [&](std::uint32_t n) { return devices_.trace->strings.text(nodes_[n].op); };
    for (auto& list : inside) {
      // Ascending, since the stack below turns them round.
      std::sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (nodes_[a].device_time != nodes_[b].device_time) return nodes_[a].device_time < nodes_[b].device_time;
        return text(a) > text(b);
      });
    }
    std::vector<OperatorNode> ordered;
    // Lists are the wrong way round, so that the stack gives the first of them first. No recursion: scripts nest
    // deeply.
    std::vector<std::uint32_t> open = inside.back();
    while (!open.empty()) {
      const std::uint32_t n = open.back();
      open.pop_back();
      ordered.push_back(nodes_[n]);
      open.insert(open.end(), inside[n].begin(), inside[n].end());
    }
    return ordered;
  }

  const DeviceRank& devices_;
  bool with_memory_;
  std::vector<std::uint32_t> node_of_;  // by event
  std::vector<EventIndex> inside_;      // scratch
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  std::vector<OperatorNode> nodes_;
  std::vector<std::uint32_t> around_;  // by node
};

}  // namespace

std::vector<RankOperatorTree> nest_operators(const std::vector<DeviceRank>& ranks, bool with_memory) {
  std::vector<RankOperatorTree> trees(ranks.size());
  parallel_for(ranks.size(), [&](std::size_t r) { trees[r] = TreeMaker(ranks[r], with_memory).make(); });
  return trees;
}

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
  // Rounded to the nearest, away from zero for negative sums as well.
  return static_cast<TimePs>((sum + (sum >= 0 ? half : -half)) / static_cast<Int128>(count));
}

// Works in order of their calls, those of one operator side by side.
std::vector<std::pair<EventIndex, std::uint32_t>> by_operator(const DeviceRank& devices, bool with_memory,
                                                              std::size_t& works_without) {
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
    // Of the first work only: later ones wait for the first.
    sums.launch += work.call_start - devices.rank->start[op];
    sums.runtime += work.start - work.call_start;
    for (; first < last; ++first)
      delay.device_time = plus_capped(delay.device_time, devices.time_of(works[first].second));
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
