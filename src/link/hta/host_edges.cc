#include "link/hta/host_edges.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "base/radix_sort.h"

namespace orrery::link::hta {
namespace {

using trace::LaneKey;

/// Marks per text: is this name one of these?
class NameSet {
 public:
  NameSet(const Interner& strings, std::initializer_list<std::string_view> names) : member_(strings.size(), 0) {
    for (const std::string_view name : names) {
      if (const StringId id = strings.find(name); id != Interner::kMissing) member_[id] = 1;
    }
  }
  bool operator()(StringId id) const { return member_[id] != 0; }

 private:
  Column<std::uint8_t> member_;
};

NameSet lock_names(const Rows& rows) { return {rows.trace->strings, {"cudaHostAlloc", "cudaLaunchKernel", "cudaMemcpyAsync"}}; }

// The thread all matching rows run on, if it is one.
std::optional<LaneKey> only_thread(const Rows& rows, const Window& window, std::string_view text) {
  std::optional<LaneKey> found;
  for (const RowIndex r : window.rows) {
    const std::string_view category = rows.category_text(r);
    if ((category != "cpu_op" && category != "user_annotation") || rows.name_text(r).find(text) == std::string_view::npos) continue;
    if (found && *found != rows.lane(r).thread) return std::nullopt;
    found = rows.lane(r).thread;
  }
  if (found && found->number == 0 && found->text == 0) return std::nullopt;  // thread 0 is false in Python
  return found;
}

// Python sorts groups by pid and tid; integers before texts, texts by their characters.
struct GroupKey {
  bool process_is_text, thread_is_text;
  std::int64_t process, thread;
  std::string_view process_text, thread_text;
  auto tie() const { return std::tie(process_is_text, process, process_text, thread_is_text, thread, thread_text); }
  bool operator<(const GroupKey& other) const { return tie() < other.tie(); }
};

class StackWalk {
 public:
  StackWalk(const Rows& rows, const Window& window, EdgeList& edges)
      : rows_(rows),
        nodes_(window.nodes),
        edges_(edges),
        is_lock_(lock_names(rows)),
        is_blocking_(rows.trace->strings, {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventQuery", "cudaEventSynchronize",
                                           "cudaMemcpy", "cudaMemcpyAsync"}) {}

  // Every row has a positive duration, so that at equal times ends come before starts, longer starts first, then by index. An end takes
  // the top of the stack, whoever that is; hence only the times of the ends matter.
  void walk(std::vector<RowIndex>& group) {
    last_node_ = kNoNode;
    last_parent_ = kNoRow;
    depth_ = 0;
    stack_.clear();
    Column<KeyedIndex> starts, ends;
    for (const RowIndex r : group) {
      starts.push_back({radix_key(-rows_.dur[r]), r});
      ends.push_back({radix_key(rows_.end(r)), r});
    }
    radix_sort(starts);
    for (KeyedIndex& item : starts) item.key = radix_key(rows_.ts[item.index]);
    radix_sort(starts);
    radix_sort(ends);
    std::size_t next_end = 0;
    for (const KeyedIndex& start : starts) {
      while (next_end < ends.size() && ends[next_end].key <= start.key) ++next_end, leave();
      enter(start.index);
    }
    while (!stack_.empty()) leave();
  }

 private:
  bool shares_lock(NodeNumber a, NodeNumber b) const {
    return is_lock_(rows_.name(nodes_.row[a])) && is_lock_(rows_.name(nodes_.row[b])) &&
           (nodes_.is_start[a] != 0 || nodes_.is_start[b] == 0);
  }

  void enter(RowIndex r) {
    const RowIndex parent = stack_.empty() ? kNoRow : stack_.back();
    stack_.push_back(r);
    const NodeNumber start = nodes_.start_of[r];
    if (start == kNoNode) return;
    if (last_node_ != kNoNode && !shares_lock(last_node_, start)) {
      edges_.add_attributed(last_node_, start, depth_ == 0 ? EdgeType::dependency : EdgeType::operator_, last_parent_);
    }
    last_node_ = start;
    last_parent_ = parent;
    ++depth_;
  }

  void leave() {
    const RowIndex r = stack_.back();
    stack_.pop_back();
    const NodeNumber end = nodes_.end_of[r];
    if (end == kNoNode) return;
    if (last_node_ != kNoNode && !shares_lock(last_node_, end)) {
      edges_.add_attributed(last_node_, end, EdgeType::operator_, last_parent_, is_blocking_(rows_.name(r)));
    }
    last_node_ = end;
    last_parent_ = stack_.empty() ? kNoRow : stack_.back();
    --depth_;
  }

  const Rows& rows_;
  const Nodes& nodes_;
  EdgeList& edges_;
  NameSet is_lock_, is_blocking_;
  std::vector<RowIndex> stack_;
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
  // Lanes with the same (pid, tid) after merging share a group.
  const Interner& strings = rows.trace->strings;
  std::map<GroupKey, std::vector<RowIndex>> groups;
  std::vector<std::vector<RowIndex>*> group_of_lane(rows.rank->lanes.size(), nullptr);
  for (const RowIndex r : window.rows) {
    auto*& group = group_of_lane[rows.rank->lane[rows.event[r]]];
    if (group == nullptr) {
      const LaneKey process = rows.lane(r).process;
      const LaneKey thread = merge && rows.lane(r).thread == *backward ? *forward : rows.lane(r).thread;
      group = &groups[{process.text != 0, thread.text != 0, process.number, thread.number, strings.text(process.text),
                       strings.text(thread.text)}];
    }
    group->push_back(r);
  }
  StackWalk walk(rows, window, edges);
  for (auto& [key, group] : groups) {
    const bool is_host = std::all_of(group.begin(), group.end(), [&](RowIndex r) { return rows.stream[r] < 0; });
    if (is_host) walk.walk(group);
  }
}

}  // namespace orrery::link::hta
