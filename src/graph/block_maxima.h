// The largest finish, kept by block of positions, so that a change in a few places does not mean looking at all nodes
// again. Private to src/graph.
#pragma once

#include <algorithm>

#include "base/column.h"
#include "graph/graph.h"

namespace orrery::graph {

/// For kLanes solutions side by side: finish[position * kLanes + lane].
template <std::uint32_t kLanes>
class BlockMaxima {
 public:
  static constexpr Position kBlock = 4096;

  explicit BlockMaxima(Position node_count)
      : node_count_(node_count), maxima_((std::size_t{node_count} + kBlock - 1) / kBlock * kLanes) {}

  [[nodiscard]] std::size_t block_count() const { return maxima_.size() / kLanes; }
  [[nodiscard]] Position begin_of(std::size_t block) const { return static_cast<Position>(block * kBlock); }
  [[nodiscard]] Position end_of(std::size_t block) const {
    return static_cast<Position>(std::min<std::size_t>((block + 1) * kBlock, node_count_));
  }

  void scan(std::size_t block, const TimePs* finish) {
    TimePs largest[kLanes];
    std::fill_n(largest, kLanes, INT64_MIN);
    for (std::size_t p = block * kBlock, end = end_of(block); p < end; ++p) {
      for (std::uint32_t lane = 0; lane < kLanes; ++lane)
        largest[lane] = std::max(largest[lane], finish[p * kLanes + lane]);
    }
    std::copy_n(largest, kLanes, maxima_.data() + block * kLanes);
  }
  void scan_from(Position begin, const TimePs* finish) {
    for (std::size_t block = begin / kBlock; block < block_count(); ++block) scan(block, finish);
  }

  /// The node with the largest finish, the smallest id among equals; kNoNode without nodes.
  [[nodiscard]] NodeId end(const Graph& graph, const TimePs* finish, std::uint32_t lane = 0) const {
    TimePs length = INT64_MIN;
    for (std::size_t i = lane; i < maxima_.size(); i += kLanes) length = std::max(length, maxima_[i]);
    NodeId end = kNoNode;
    for (std::size_t block = 0; block < block_count(); ++block) {
      if (maxima_[block * kLanes + lane] != length) continue;
      for (std::size_t p = block * kBlock; p < end_of(block); ++p) {
        if (finish[p * kLanes + lane] == length) end = std::min(end, graph.node_at(static_cast<Position>(p)));
      }
      if (!graph.renumbered()) break;
    }
    return end;
  }

 private:
  Position node_count_;
  Column<TimePs> maxima_;
};

}  // namespace orrery::graph
