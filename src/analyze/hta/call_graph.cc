#include "analyze/hta/call_graph.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "analyze/hta/python_sort.h"
#include "base/radix_sort.h"
#include "causal/hta/call_stack.h"

// Rows become nodes, threads become roots behind them. Per thread, begins and ends are sorted with HTA's own comparison
// by Python's own sort, because it is no strict order and the result depends on who is compared with whom. A stack then
// gives each row its parent, kernels go below their calls, and the backward thread below the forward one.

namespace orrery::analyze::hta {
namespace {

using causal::hta::RankRows;
using causal::hta::RowIndex;
using causal::hta::Rows;

constexpr int kUnreached = std::numeric_limits<int>::min();

enum class Kind : std::int8_t { opening = -1, closing = 1 };

/// The beginning or the end of a row.
struct End {
  TimePs time;
  TimePs duration;
  RowIndex row;
  Kind kind;
};

// HTA's order; not transitive where rows of no length meet others (see python_sort.h). Row numbers ascend with HTA's
// indices.
bool comes_before(const End& a, const End& b) {
  if (a.time != b.time) return a.time < b.time;
  if (a.row == b.row) return a.kind == Kind::opening;
  if ((a.duration == 0) != (b.duration == 0))  // what lasts no time lies inside what lasts longer
    return a.duration == 0 ? b.kind == Kind::closing : a.kind == Kind::opening;
  if (a.duration == 0) return a.kind != b.kind ? a.kind == Kind::opening : (a.row < b.row) == (a.kind == Kind::opening);
  if (a.kind != b.kind) return a.kind == Kind::closing;
  if (a.duration != b.duration) return (a.duration > b.duration) == (a.kind == Kind::opening);
  return (a.row < b.row) == (a.kind == Kind::opening);
}

bool meets_undefined_order(const std::vector<End>& ends) {
  std::set<TimePs> negative;
  for (const End& end : ends) {
    if (end.duration < 0) negative.insert(end.time);
  }
  return !negative.empty() && std::any_of(ends.begin(), ends.end(), [&](const End& end) {
    return end.duration == 0 && negative.contains(end.time);
  });
}

}  // namespace

class CallGraphBuilder {
 public:
  explicit CallGraphBuilder(const RankRows& rank) : rows_(rank.rows) {
    graph_.rows_ = rows_.size();
    graph_.parent_.assign(rows_.size(), CallGraph::kNone);
    graph_.kernel_.assign(rows_.size(), 0);
  }

  Result<CallGraph> build() {
    list_launched();
    for (const std::vector<RowIndex>& members : causal::hta::rows_by_thread(
             rows_, std::span(rows_.frame.data(), rows_.frame.size()), [](trace::LaneKey key) { return key; })) {
      if (is_device_lane(members)) continue;
      const Node root = root_of(rows_.lane(members.front()).thread);
      if (const Status nested = nest(root, members); !nested) return nested.error();
      for (const RowIndex r : members) hang_kernels(r);
      if (const Label label = label_of(members); label != Label::none) labelled_.push_back({label, root, members});
    }
    if (labelled_.size() == 2) hang_backward();
    graph_.order_children();
    graph_.below_.assign(rows_.size(), {});
    graph_.depth_.assign(graph_.parent_.size(), kUnreached);
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      // Thread 2's root has a number that HTA takes for "no node".
      if (!is_thread(roots_[i], 2)) graph_.walk_from(static_cast<Node>(rows_.size() + i));
    }
    // The kernels counted below are those of rows that were reached.
    for (const Node node : visited_order()) add_below(node);
    return std::move(graph_);
  }

 private:
  using Node = CallGraph::Node;
  enum class Label : std::uint8_t { backward, main, none };
  struct Thread {
    Label label;
    Node root;
    std::vector<RowIndex> members;
  };

  static bool is_thread(trace::LaneKey key, std::int64_t number) { return key.text == 0 && key.number == number; }

  [[nodiscard]] bool is_device_lane(const std::vector<RowIndex>& members) const {
    const trace::Lane& lane = rows_.lane(members.front());
    // HTA takes process 0 and thread 0 for the device's.
    return is_thread(lane.process, 0) || is_thread(lane.thread, 0) ||
           std::all_of(members.begin(), members.end(), [&](RowIndex r) { return rows_.stream[r] > 0; });
  }

  // Threads of one number in two processes share it.
  Node root_of(trace::LaneKey thread) {
    thread.number = std::abs(thread.number);
    const auto at = std::find(roots_.begin(), roots_.end(), thread);
    if (at == roots_.end()) graph_.parent_.push_back(CallGraph::kNone);
    const auto place = static_cast<std::size_t>(at - roots_.begin());
    if (at == roots_.end()) roots_.push_back(thread);
    return static_cast<Node>(rows_.size() + place);
  }

  void add(Node parent, RowIndex child) {
    if (graph_.parent_[child] == CallGraph::kNone) graph_.parent_[child] = parent;
  }

  Status nest(Node root, const std::vector<RowIndex>& members) {
    std::vector<End> ends;
    for (const RowIndex r : members) {
      if (rows_.stream[r] == -1) ends.push_back({rows_.ts[r], rows_.dur[r], r, Kind::opening});
    }
    const std::size_t openings = ends.size();
    for (std::size_t i = 0; i < openings; ++i)
      ends.push_back({rows_.end(ends[i].row), ends[i].duration, ends[i].row, Kind::closing});
    if (meets_undefined_order(ends)) return Error{"ends of a negative duration and of one of zero at one moment"};
    std::stable_sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.time < b.time; });
    python_sort(ends, comes_before);
    std::vector<RowIndex> stack;
    for (const End& end : ends) {
      if (end.kind == Kind::opening) {
        add(stack.empty() ? root : stack.back(), end.row);
        stack.push_back(end.row);
      } else if (!stack.empty()) {
        // HTA does not look whether it is the one that ends.
        stack.pop_back();  // whichever it is
      }
    }
    return {};
  }

  void list_launched() {
    for (const RowIndex r : rows_.frame) {
      if (rows_.stream[r] > 0 && rows_.partner[r] > 0)
        launched_.push_back({static_cast<std::uint64_t>(rows_.partner[r]), r});
    }
    radix_sort(launched_);
  }

  void hang_kernels(RowIndex r) {
    const std::uint64_t index = rows_.index[r];
    const auto less = [](const KeyedIndex& item, std::uint64_t key) { return item.key < key; };
    for (const KeyedIndex* at = std::lower_bound(launched_.begin(), launched_.end(), index, less);
         at != launched_.end() && at->key == index; ++at) {
      add(r, at->index);
      graph_.kernel_[at->index] = 1;
    }
  }

  [[nodiscard]] Label label_of(const std::vector<RowIndex>& members) const {
    const auto any = [&](auto&& test) {
      return std::any_of(members.begin(), members.end(), [&](RowIndex r) { return test(rows_.name_text(r)); });
    };
    if (any([](std::string_view name) { return name.starts_with("ProfilerStep#"); })) return Label::main;
    return any([](std::string_view name) { return name.find("autograd::") != std::string_view::npos; })
               ? Label::backward
               : Label::none;
  }

  // The top rows of the backward thread go below the main thread's backward annotations, or else its steps, that
  // contain them.
  void hang_backward() {
    std::stable_sort(labelled_.begin(), labelled_.end(),
                     [](const Thread& a, const Thread& b) { return a.label < b.label; });
    const Node root = labelled_[0].root;
    std::vector<RowIndex> marks;
    for (const std::string_view prefix : {"## backward ##", "ProfilerStep#"}) {
      for (const RowIndex r : labelled_[1].members) {
        if (rows_.name_text(r).starts_with(prefix)) marks.push_back(r);
      }
      if (!marks.empty()) break;
    }
    for (RowIndex r = 0; r < rows_.size(); ++r) {
      if (graph_.parent_[r] != root) continue;
      const auto contains = [&](RowIndex mark) {
        return graph_.parent_[mark] != CallGraph::kNone && rows_.ts[r] >= rows_.ts[mark] &&
               rows_.end(r) <= rows_.end(mark) && !is_at_or_above(r, mark);
      };
      const auto mark = std::find_if(marks.begin(), marks.end(), contains);
      if (mark != marks.end()) graph_.parent_[r] = *mark;
    }
  }

  // Two processes may share the root, and a row must not come below itself.
  [[nodiscard]] bool is_at_or_above(RowIndex upper, Node lower) const {
    while (lower != CallGraph::kNone && lower != upper) lower = graph_.parent_[lower];
    return lower == upper;
  }

  /// Children before their parents.
  [[nodiscard]] std::vector<Node> visited_order() const {
    std::vector<Node> order;
    for (Node node = 0; node < rows_.size(); ++node) {
      if (graph_.depth_[node] != kUnreached) order.push_back(node);
    }
    std::stable_sort(order.begin(), order.end(), [&](Node a, Node b) { return graph_.depth_[a] > graph_.depth_[b]; });
    return order;
  }

  void add_below(Node node) {
    if (graph_.kernel_[node] != 0) graph_.below_[node] = {1, rows_.dur[node]};
    const Node parent = graph_.parent_[node];
    if (parent >= rows_.size()) return;
    graph_.below_[parent].kernels += graph_.below_[node].kernels;
    graph_.below_[parent].duration += graph_.below_[node].duration;
  }

  const Rows& rows_;
  CallGraph graph_;
  std::vector<trace::LaneKey> roots_;
  Column<KeyedIndex> launched_;  // by the index of the row that launched
  std::vector<Thread> labelled_;
};

Result<CallGraph> CallGraph::make(const RankRows& rank) { return CallGraphBuilder(rank).build(); }

void CallGraph::order_children() {
  first_child_.assign(parent_.size() + 1, 0);
  for (Node node = 0; node < rows_; ++node) {
    if (parent_[node] != kNone) ++first_child_[parent_[node] + 1];
  }
  for (std::size_t i = 1; i < first_child_.size(); ++i) first_child_[i] += first_child_[i - 1];
  children_.resize(first_child_.back());
  std::vector<std::uint32_t> next(first_child_.begin(), first_child_.end() - 1);
  for (Node node = 0; node < rows_; ++node) {
    if (parent_[node] != kNone) children_[next[parent_[node]]++] = node;
  }
}

void CallGraph::walk_from(Node root) {
  depth_[root] = -1;
  std::vector<Node> open = {root};
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    for (std::uint32_t i = first_child_[node]; i < first_child_[node + 1]; ++i) {
      depth_[children_[i]] = depth_[node] + 1;
      open.push_back(children_[i]);
    }
  }
}

std::optional<int> CallGraph::depth(RowIndex row) const {
  return depth_[row] == kUnreached ? std::nullopt : std::optional(depth_[row]);
}

std::vector<RowIndex> CallGraph::subtree(RowIndex row) const {
  std::vector<RowIndex> found = {row};
  for (std::size_t done = 0; done < found.size(); ++done) {
    const Node node = found[done];
    found.insert(found.end(), children_.begin() + first_child_[node], children_.begin() + first_child_[node + 1]);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<RowIndex> CallGraph::ancestors(RowIndex row) const {
  std::vector<RowIndex> found;
  if (parent_[row] == kNone) return found;
  for (Node node = row; node < rows_; node = parent_[node]) found.push_back(node);
  return found;
}

}  // namespace orrery::analyze::hta
