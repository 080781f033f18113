#include "analyze/device/operator_tree.h"

#include <algorithm>
#include <unordered_map>

#include "analyze/distribution.h"
#include "base/parallel.h"

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
    for (; known != causal::kNoEvent && node_of_[known] == kNoNode; known = devices_.operator_around[known]) inside_.push_back(known);
    std::uint32_t node = known == causal::kNoEvent ? kNoNode : node_of_[known];
    for (auto e = inside_.rbegin(); e != inside_.rend(); ++e) {
      node = child_of(node, devices_.rank->name[*e]);
      node_of_[*e] = node;
      ++nodes_[node].calls;
      nodes_[node].host_time = plus_capped(nodes_[node].host_time, devices_.rank->duration[*e]);
    }
    return node;
  }

  std::uint32_t child_of(std::uint32_t around, StringId op) {
    const auto [at, is_new] = numbers_.try_emplace(std::uint64_t{around} << 32 | op, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) {
      nodes_.push_back({.op = op, .depth = around == kNoNode ? 0 : nodes_[around].depth + 1});
      around_.push_back(around);
    }
    return at->second;
  }

  [[nodiscard]] std::vector<OperatorNode> in_tree_order() const {
    std::vector<std::vector<std::uint32_t>> inside(nodes_.size() + 1);  // the last: inside nothing
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) inside[around_[n] == kNoNode ? nodes_.size() : around_[n]].push_back(n);
    const auto text = [&](std::uint32_t n) { return devices_.trace->strings.text(nodes_[n].op); };
    for (auto& list : inside) {
      std::sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (nodes_[a].device_time != nodes_[b].device_time) return nodes_[a].device_time < nodes_[b].device_time;
        return text(a) > text(b);
      });
    }
    std::vector<OperatorNode> ordered;
    // Lists are the wrong way round, so that the stack gives the first of them first. No recursion: scripts nest deeply.
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

}  // namespace orrery::analyze
