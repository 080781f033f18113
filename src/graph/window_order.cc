#include "graph/window_order.h"

#include <algorithm>
#include <utility>

#include "graph/edits.h"

namespace orrery::graph {
namespace {

/// Orders the nodes of one window by depth-first search along incoming edges: a node comes after all it depends on, and otherwise keeps
/// its place as far as possible.
class WindowSort {
 public:
  WindowSort(const Graph& graph, std::span<const AddedEdge> added, std::span<const Slot> removed, Position begin, Position end)
      : graph_(graph), removed_(removed), begin_(begin), end_(end), state_(end - begin, State::fresh) {
    for (const AddedEdge& edge : added) {
      if (inside(edge.source) && inside(edge.target) && edge.weight != kRemovedWeight) added_.emplace_back(edge.target, edge.source);
    }
    std::sort(added_.begin(), added_.end());
  }

  std::optional<std::vector<Position>> run() {
    for (Position p = begin_; p < end_; ++p) {
      if (!visit(p)) return std::nullopt;
    }
    return std::move(order_);
  }

 private:
  enum class State : std::uint8_t { fresh, open, done };

  [[nodiscard]] bool inside(Position p) const { return p >= begin_ && p < end_; }

  bool visit(Position root) {
    if (state_[root - begin_] == State::done) return true;
    std::vector<Position> stack{root};
    while (!stack.empty()) {
      const Position p = stack.back();
      State& state = state_[p - begin_];
      if (state != State::fresh) {
        stack.pop_back();
        if (state == State::open) order_.push_back(p);
        state = State::done;
        continue;
      }
      state = State::open;
      if (!push_sources(p, stack)) return false;
    }
    return true;
  }

  /// False when a source is still open: the search came back to where it started from.
  bool push_sources(Position p, std::vector<Position>& stack) {
    const auto push = [&](Position source) {
      const State state = state_[source - begin_];
      if (state == State::fresh) stack.push_back(source);
      return state != State::open;
    };
    for (const Slot slot : graph_.incoming_at(p)) {
      const Position source = graph_.source_positions()[slot];
      if (inside(source) && !std::binary_search(removed_.begin(), removed_.end(), slot) && !push(source)) return false;
    }
    for (auto at = std::lower_bound(added_.begin(), added_.end(), std::pair{p, Position{0}}); at != added_.end() && at->first == p; ++at) {
      if (!push(at->second)) return false;
    }
    return true;
  }

  const Graph& graph_;
  std::span<const Slot> removed_;
  Position begin_, end_;
  std::vector<State> state_;
  std::vector<std::pair<Position, Position>> added_;  // target, source
  std::vector<Position> order_;
};

}  // namespace

std::optional<std::vector<OrderWindow>> widen_windows(const Graph& graph, const std::vector<OrderWindow>& windows,
                                                      std::span<const AddedEdge> added, std::span<const Slot> removed) {
  const AddedEdge& last = added.back();
  Position begin = std::min(last.source, last.target);
  Position end = std::max(last.source, last.target) + 1;
  const auto meets = [&](const OrderWindow& window) { return window.begin < end && begin < window.end; };
  if (last.source < last.target) {
    // Along the order: only a window that holds both ends can have put them the other way round.
    const auto holds_both = [&](const OrderWindow& window) { return window.begin <= last.source && last.target < window.end; };
    if (std::none_of(windows.begin(), windows.end(), holds_both)) return windows;
  }
  // An edge against the order lies within a window, so a path that leaves the new window has no way back unless it does so within an old
  // one that meets it: with those taken in, whatever is decided inside holds for the whole graph. One pass suffices: they are disjoint.
  std::vector<OrderWindow> widened;
  for (const OrderWindow& window : windows) {
    if (!meets(window)) continue;
    begin = std::min(begin, window.begin);
    end = std::max(end, window.end);
  }
  auto order = WindowSort(graph, added, removed, begin, end).run();
  if (!order) return std::nullopt;
  for (const OrderWindow& window : windows) {
    if (!meets(window)) widened.push_back(window);
  }
  widened.push_back({begin, end, std::move(*order)});
  std::sort(widened.begin(), widened.end(), [](const OrderWindow& a, const OrderWindow& b) { return a.begin < b.begin; });
  return widened;
}

}  // namespace orrery::graph
