#include "causal/hta/host_edges.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "causal/hta/call_stack.h"
#include "causal/hta/name_set.h"

namespace orrery::causal::hta {
namespace {

using trace::LaneKey;

NameSet lock_names(const Rows& rows) {
  return {rows.trace->strings, {"cudaHostAlloc", "cudaLaunchKernel", "cudaMemcpyAsync"}};
}

// The thread all matching rows run on, if it is one.
std::optional<LaneKey> only_thread(const Rows& rows, const Window& window, std::string_view text) {
  std::optional<LaneKey> found;
  for (const RowIndex r : window.rows) {
    const std::string_view category = rows.category_text(r);
    if ((category != "cpu_op" && category != "user_annotation") ||
        rows.name_text(r).find(text) == std::string_view::npos)
      continue;
    if (found && *found != rows.lane(r).thread) return std::nullopt;
    found = rows.lane(r).thread;
  }
  if (found && found->number == 0 && found->text == 0) return std::nullopt;  // thread 0 is false in Python
  return found;
}

class StackWalk {
 public:
  StackWalk(const Rows& rows, const Window& window, EdgeList& edges)
      : rows_(rows),
        nodes_(window.nodes),
        edges_(edges),
        is_lock_(lock_names(rows)),
        is_blocking_(rows.trace->strings, kBlockingCalls) {}

  void walk(std::span<const RowIndex> thread) {
    last_node_ = kNoNode;
    last_parent_ = kNoRow;
    depth_ = 0;
    walk_call_stack(
        rows_, thread, [&](RowIndex r) { return rows_.end(r); }, [&](RowIndex r, RowIndex parent) { enter(r, parent); },
        [&](RowIndex r, RowIndex parent) { leave(r, parent); });
  }

 private:
  bool shares_lock(NodeNumber a, NodeNumber b) const {
    return is_lock_(rows_.name(nodes_.row[a])) && is_lock_(rows_.name(nodes_.row[b])) &&
           (nodes_.is_start[a] != 0 || nodes_.is_start[b] == 0);
  }

  void enter(RowIndex r, RowIndex parent) {
    const NodeNumber start = nodes_.start_of[r];
    if (start == kNoNode) return;
    if (last_node_ != kNoNode && !shares_lock(last_node_, start)) {
      edges_.add_attributed(last_node_, start, depth_ == 0 ? EdgeType::dependency : EdgeType::operator_, last_parent_);
    }
    last_node_ = start;
    last_parent_ = parent;
    ++depth_;
  }

  void leave(RowIndex r, RowIndex parent) {
    const NodeNumber end = nodes_.end_of[r];
    if (end == kNoNode) return;
    if (last_node_ != kNoNode && !shares_lock(last_node_, end)) {
      edges_.add_attributed(last_node_, end, EdgeType::operator_, last_parent_, is_blocking_(rows_.name(r)));
    }
    last_node_ = end;
    last_parent_ = parent;
    --depth_;
  }

  const Rows& rows_;
  const Nodes& nodes_;
  EdgeList& edges_;
  NameSet is_lock_, is_blocking_;
  NodeNumber last_node_ = kNoNode;
  RowIndex last_parent_ = kNoRow;
  int depth_ = 0;
};

}  // namespace

void add_runtime_lock_edges(const Rows& rows, const Window& window, EdgeList& edges) {
  const NameSet is_lock = lock_names(rows);
  const Nodes& nodes = window.nodes;
  std::vector<NodeNumber> open;
  NodeNumber last = kNoNode;
  for (NodeNumber n = 0; n < nodes.size(); ++n) {
    if (!is_lock(rows.name(nodes.row[n]))) continue;
    if (nodes.is_start[n] != 0) {
      open.push_back(n);
    } else {
      for (; !open.empty(); open.pop_back()) {
        const NodeNumber start = open.back();
        if (nodes.row[start] == nodes.row[n]) edges.add_attributed(start, n, EdgeType::operator_, nodes.row[n]);
        else edges.add(start, n, EdgeType::dependency);
      }
      if (last != kNoNode && nodes.is_start[last] == 0) edges.add(last, n, EdgeType::dependency);
    }
    last = n;
  }
}

void add_call_stack_edges(const Rows& rows, const Window& window, EdgeList& edges) {
  const auto forward = only_thread(rows, window, "forward");
  const auto backward = only_thread(rows, window, "autograd");
  const bool merge = forward && backward && *forward != *backward;
  const auto threads = rows_by_thread(rows, {window.rows.begin(), window.rows.size()},
                                      [&](LaneKey thread) { return merge && thread == *backward ? *forward : thread; });
  StackWalk walk(rows, window, edges);
  for (const std::vector<RowIndex>& thread : threads) {
    const bool is_host = std::all_of(thread.begin(), thread.end(), [&](RowIndex r) { return rows.stream[r] < 0; });
    if (is_host) walk.walk(thread);
  }
}

}  // namespace orrery::causal::hta
