#include "analyze/capture/node_alignment.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "analyze/diff/common_subsequence.h"

namespace orrery::analyze {
namespace {

bool fits(const NodeKey& node, const NodeKey& work) {
  const auto agree = [](std::uint32_t a, std::uint32_t b) { return a == 0 || b == 0 || a == b; };
  return node.kind == work.kind && agree(node.name, work.name) && agree(node.grid, work.grid);
}

bool all_named(std::span<const NodeKey> keys) {
  return std::all_of(keys.begin(), keys.end(),
                     [](const NodeKey& key) { return key.name != 0 || key.kind != trace::Activity::kernel; });
}

bool all_have_grids(std::span<const NodeKey> keys) {
  return std::all_of(keys.begin(), keys.end(),
                     [](const NodeKey& key) { return key.grid != 0 || key.kind != trace::Activity::kernel; });
}

NodeAlignment place_by_place(std::span<const NodeKey> nodes, std::span<const NodeKey> works) {
  NodeAlignment result;
  for (std::uint32_t i = 0; i < works.size(); ++i)
    result.node_of_work.push_back(i < nodes.size() && fits(nodes[i], works[i]) ? i : kNoNode);
  return result;
}

/// A subsequence needs symbols: what only one side knows cannot be part of them.
NodeAlignment by_subsequence(std::span<const NodeKey> nodes, std::span<const NodeKey> works) {
  const bool with_names = all_named(nodes) && all_named(works);
  const bool with_grids = all_have_grids(nodes) && all_have_grids(works);
  std::map<NodeKey, std::uint32_t> symbols;
  const auto symbols_of = [&](std::span<const NodeKey> keys) {
    std::vector<std::uint32_t> row;
    for (NodeKey key : keys) {
      // Copies and fills are told by their kind: their names say from where to where, which calls do not.
      if (!with_names || key.kind != trace::Activity::kernel) key.name = 0;
      if (!with_grids) key.grid = 0;
      row.push_back(symbols.emplace(key, static_cast<std::uint32_t>(symbols.size())).first->second);
    }
    return row;
  };
  const std::vector<std::uint32_t> a = symbols_of(nodes), b = symbols_of(works);
  NodeAlignment result;
  result.node_of_work.assign(works.size(), kNoNode);
  for (const auto& [node, work] : common_subsequence(a, b)) result.node_of_work[work] = node;
  return result;
}

/// Depth first over how far each stream has come. A state that led nowhere is not entered again.
class StreamOrder {
 public:
  StreamOrder(std::span<const NodeKey> nodes, std::span<const NodeKey> works, std::span<const std::uint32_t> streams)
      : nodes_(nodes), works_(works) {
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (std::uint32_t w = 0; w < works.size(); ++w) {
      const std::uint32_t s = numbers.emplace(streams[w], static_cast<std::uint32_t>(numbers.size())).first->second;
      if (s == lanes_.size()) lanes_.emplace_back();
      lanes_[s].push_back(w);
    }
    at_.assign(lanes_.size(), 0);
  }

  NodeAlignment find() {
    NodeAlignment result;
    result.node_of_work.assign(works_.size(), kNoNode);
    // Works without a node would have to be left out somewhere, and nothing says where.
    if (nodes_.size() < works_.size()) return result;
    std::vector<std::uint32_t> taken;  // streams, node by node
    std::size_t steps = 0;
    for (std::uint32_t from = 0; taken.size() < works_.size();) {
      if (++steps > kMostSteps) return result;
      const std::uint32_t lane = next_lane(static_cast<std::uint32_t>(taken.size()), from);
      if (lane != kNoNode) {
        taken.push_back(lane);
        ++at_[lane];
        from = 0;
        if (!dead_.contains(state())) continue;
      } else {
        dead_.insert(state());
        if (taken.empty()) return result;
      }
      // Back, and on with the stream behind the one that was tried.
      const std::uint32_t last = taken.back();
      taken.pop_back();
      --at_[last];
      from = rank_of(last) + 1;
    }
    std::fill(at_.begin(), at_.end(), 0);
    for (std::uint32_t n = 0; n < taken.size(); ++n) {
      const std::uint32_t lane = taken[n];
      result.node_of_work[lanes_[lane][at_[lane]++]] = n;
    }
    return result;
  }

 private:
  static constexpr std::size_t kMostSteps = 4'000'000;

  /// Streams by when their next work starts, those at their end left out: works are numbered by start.
  std::vector<std::uint32_t> heads() const {
    std::vector<std::uint32_t> lanes;
    for (std::uint32_t s = 0; s < lanes_.size(); ++s) {
      if (at_[s] < lanes_[s].size()) lanes.push_back(s);
    }
    std::sort(lanes.begin(), lanes.end(),
              [&](std::uint32_t a, std::uint32_t b) { return lanes_[a][at_[a]] < lanes_[b][at_[b]]; });
    return lanes;
  }
  std::uint32_t next_lane(std::uint32_t node, std::uint32_t from) const {
    const std::vector<std::uint32_t> lanes = heads();
    for (std::uint32_t i = from; i < lanes.size(); ++i) {
      if (fits(nodes_[node], works_[lanes_[lanes[i]][at_[lanes[i]]]])) return lanes[i];
    }
    return kNoNode;
  }
  std::uint32_t rank_of(std::uint32_t lane) const {
    const std::vector<std::uint32_t> lanes = heads();
    return static_cast<std::uint32_t>(std::find(lanes.begin(), lanes.end(), lane) - lanes.begin());
  }
  [[nodiscard]] std::uint64_t state() const {
    std::uint64_t hash = 0;
    for (const std::uint32_t at : at_) hash = (hash ^ at) * 0x9E3779B97F4A7C15ull + 0x7F4A7C15;
    return hash;
  }

  std::span<const NodeKey> nodes_, works_;
  std::vector<std::vector<std::uint32_t>> lanes_;
  std::vector<std::uint32_t> at_;
  std::unordered_set<std::uint64_t> dead_;
};

void count_matches(NodeAlignment& result, std::span<const NodeKey> nodes, std::span<const NodeKey> works) {
  for (std::size_t w = 0; w < works.size(); ++w) {
    if (result.node_of_work[w] == kNoNode) continue;
    ++result.matched;
    const NodeKey& node = nodes[result.node_of_work[w]];
    result.names += node.name != 0 && node.name == works[w].name ? 1 : 0;
  }
}

}  // namespace

NodeAlignment align_nodes(std::span<const NodeKey> nodes, std::span<const NodeKey> works,
                          std::span<const std::uint32_t> streams, bool has_order) {
  NodeAlignment result;
  const bool one_stream = std::adjacent_find(streams.begin(), streams.end(), std::not_equal_to<>()) == streams.end();
  if (has_order || one_stream) {
    result = place_by_place(nodes, works);
    const bool fits_all =
        std::find(result.node_of_work.begin(), result.node_of_work.end(), kNoNode) == result.node_of_work.end();
    if (nodes.size() != works.size() || !fits_all) result = by_subsequence(nodes, works);
  } else if (all_named(nodes) && all_named(works)) {
    result = StreamOrder(nodes, works, streams).find();
  } else {
    result.node_of_work.assign(works.size(), kNoNode);
  }
  count_matches(result, nodes, works);
  return result;
}

}  // namespace orrery::analyze
