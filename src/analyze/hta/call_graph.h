// HTA's call graph of a rank: host rows nested by time per thread, the kernels they launch below them, the backward
// thread below the forward one.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "causal/hta/job_rows.h"

namespace orrery::analyze::hta {

class CallGraph {
 public:
  struct Below {
    std::size_t kernels = 0;
    TimePs duration = 0;
  };

  /// The rows must outlive it. Fails where HTA's order of ends is undefined: a negative duration and one of zero meet.
  static Result<CallGraph> make(const causal::hta::RankRows& rank);

  /// 0 for what nothing calls; nothing for rows that are not in the graph, or in the tree that HTA leaves out.
  [[nodiscard]] std::optional<int> depth(causal::hta::RowIndex row) const;
  /// The kernels below a row; none of rows without depth.
  [[nodiscard]] Below below(causal::hta::RowIndex row) const { return below_[row]; }
  /// The row itself and all below it, by index.
  [[nodiscard]] std::vector<causal::hta::RowIndex> subtree(causal::hta::RowIndex row) const;
  /// The row itself and all above it; empty if it is not in the graph.
  [[nodiscard]] std::vector<causal::hta::RowIndex> ancestors(causal::hta::RowIndex row) const;

 private:
  friend class CallGraphBuilder;
  using Node = std::uint32_t;  // a row, or from rows.size() on the root of a thread
  static constexpr Node kNone = ~Node{0};

  void order_children();
  void walk_from(Node root);

  std::size_t rows_ = 0;
  std::vector<Node> parent_;          // kNone: not in the graph
  std::vector<std::uint8_t> kernel_;  // launched by a row of the graph
  std::vector<std::uint32_t> first_child_;
  std::vector<Node> children_;
  std::vector<int> depth_;  // kUnreached
  std::vector<Below> below_;
};

}  // namespace orrery::analyze::hta
