#include "graph/parametric.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace orrery::graph {
namespace {

/// The length of one path as a function of lambda.
struct Line {
  TimePs length = 0, slope = 0;
  Path path;

  /// At p / q, in units of 1 / q: the product of a time of 62 bits and a fraction of a slope of 62 bits, so that no sum
  /// exceeds 126 bits.
  [[nodiscard]] Int128 scaled(Lambda at) const {
    return static_cast<Int128>(length) * at.q + static_cast<Int128>(slope) * at.p;
  }
};

class ParametricSweep {
 public:
  ParametricSweep(const Graph& graph, const Slopes& slopes, NodeId end)
      : graph_(graph), slopes_(slopes), end_(end), finish_(graph.node_count()) {
    assert(!graph.start_to_start_type());
  }

  /// A longest path at `at`.
  Line solve(Lambda at) {
    at_ = at;
    for (Position p = 0; p < graph_.node_count(); ++p) {
      Int128 best = 0;  // where all that comes in is negative, a path begins: see Solution
      for (const Slot slot : graph_.incoming_at(p)) best = std::max(best, candidate(slot));
      finish_[p] = best + duration(p);
    }
    return trace_back();
  }

 private:
  [[nodiscard]] Int128 scaled(TimePs base, TimePs change) const {
    return static_cast<Int128>(base) * at_.q + static_cast<Int128>(change) * at_.p;
  }
  [[nodiscard]] TimePs base_duration(Position p) const {
    return graph_.durations().empty() ? 0 : graph_.durations()[p];
  }
  [[nodiscard]] TimePs duration_change(Position p) const {
    return slopes_.durations.empty() ? 0 : slopes_.durations[p];
  }
  [[nodiscard]] Int128 duration(Position p) const { return scaled(base_duration(p), duration_change(p)); }
  [[nodiscard]] Int128 candidate(Slot slot) const {
    return finish_[graph_.source_positions()[slot]] + scaled(graph_.weights()[slot], slopes_.weights[slot]);
  }

  [[nodiscard]] Line trace_back() const {
    Line line;
    for (Position p = graph_.position(end_);;) {
      line.path.nodes.push_back(graph_.node_at(p));
      line.length += base_duration(p);
      line.slope += duration_change(p);
      Slot chosen = kNoSlot;
      Int128 best = -1;
      for (const Slot slot : graph_.incoming_at(p)) {
        if (candidate(slot) <= best) continue;  // of equals the first added
        best = candidate(slot);
        chosen = slot;
      }
      if (chosen == kNoSlot) break;
      line.path.slots.push_back(chosen);
      line.length += graph_.weights()[chosen];
      line.slope += slopes_.weights[chosen];
      p = graph_.source_positions()[chosen];
    }
    std::reverse(line.path.nodes.begin(), line.path.nodes.end());
    std::reverse(line.path.slots.begin(), line.path.slots.end());
    return line;
  }

  const Graph& graph_;
  const Slopes& slopes_;
  NodeId end_;
  Lambda at_;
  Column<Int128> finish_;  // by position, in units of 1 / q
};

}  // namespace

void for_each_parametric_piece(const Graph& graph, const Slopes& slopes, NodeId end,
                               const std::function<void(const ParametricPiece&)>& visit) {
  ParametricSweep sweep(graph, slopes, end);
  Lambda begin{0, 1};
  Line left = sweep.solve(begin);
  const auto give = [&](Lambda until) {
    if (begin == until)
      return;  // three lines that meet in one point: the middle one is the longest there only, and so are the others
    ParametricPiece piece{begin, until, left.length, left.slope, std::move(left.path)};
    begin = until;
    visit(piece);
  };
  // Lines known to be on the envelope right of `left`, the nearest last.
  std::vector<Line> known;
  known.push_back(sweep.solve({1, 1}));
  while (!known.empty()) {
    Line& right = known.back();
    // Both are longest at some point right of the other: of equal slopes they are one line, and what lies between is on
    // it, since T is convex.
    if (right.slope <= left.slope) {
      known.pop_back();
      continue;
    }
    const Lambda meet{left.length - right.length, right.slope - left.slope};
    Line longest = sweep.solve(meet);
    if (longest.scaled(meet) > left.scaled(meet)) {
      known.push_back(std::move(longest));
      continue;
    }
    give(meet);
    left = std::move(right);
    known.pop_back();
  }
  give({1, 1});
}

ParametricPiece first_parametric_piece(const Graph& graph, const Slopes& slopes, NodeId end) {
  ParametricSweep sweep(graph, slopes, end);
  Line first = sweep.solve({0, 1});
  Line later = sweep.solve({1, 1});
  while (later.slope > first.slope) {
    const Lambda meet{first.length - later.length, later.slope - first.slope};
    if (meet.p == 0) {  // as long at 0, and longer from there on
      first = std::exchange(later, sweep.solve({1, 1}));
      continue;
    }
    Line longest = sweep.solve(meet);
    if (longest.scaled(meet) <= first.scaled(meet))
      return {{0, 1}, meet, first.length, first.slope, std::move(first.path)};
    later = std::move(longest);
  }
  return {{0, 1}, {1, 1}, first.length, first.slope, std::move(first.path)};
}

}  // namespace orrery::graph
