// Times that go along straight lines: what the longest path is made of at every point of the way.
//
// With weights and durations a + lambda * b, lambda from 0 to 1, every path has the length c + lambda * s, and the
// longest of them, T(lambda), is the upper envelope of these lines: convex and piecewise linear. Its corners are found
// by intersecting tangents (Eisner and Severance, Mathematical Techniques for Efficient Record Segmentation, 1976):
// where the lines of two points meet, either no path is longer, and a corner is found, or the longest there is a line
// not known before. So n pieces need at most 2 n solves, and no corner is missed however close it lies to another.
#pragma once

#include <functional>
#include <vector>

#include "base/column.h"
#include "base/int128.h"
#include "graph/longest_path.h"

namespace orrery::graph {

/// p / q, 0 <= p <= q, q > 0.
struct Lambda {
  std::int64_t p = 0, q = 1;

  [[nodiscard]] double value() const { return static_cast<double>(p) / static_cast<double>(q); }
  friend bool operator==(Lambda a, Lambda b) {
    return static_cast<Int128>(a.p) * b.q == static_cast<Int128>(b.p) * a.q;
  }
  /// lambda * 2^60, rounded down.
  [[nodiscard]] Int128 fixed() const { return (static_cast<Int128>(p) << 60) / q; }
};

/// By how much each time changes on the way from 0 to 1; times are those of the graph at 0. The times at 1 lie within
/// +-kMaxWeightPs.
struct Slopes {
  Column<TimePs> weights;    ///< by slot
  Column<TimePs> durations;  ///< by position; empty: none changes
};

/// A stretch of the way on which one path is the longest.
struct ParametricPiece {
  Lambda begin, end;
  TimePs length = 0;  ///< of the path at lambda = 0
  TimePs slope = 0;   ///< how much longer it gets until 1
  Path path;
};

/// Calls `visit` for each piece of T, from 0 to 1; each has an extent, and the slopes ascend. The path is that to
/// `end`, with the rules of Solution (of equals the first added). Exact as long as no length exceeds kMaxFinishPs.
/// `graph` has no start-to-start edges.
void for_each_parametric_piece(const Graph& graph, const Slopes& slopes, NodeId end,
                               const std::function<void(const ParametricPiece&)>& visit);

/// The first of these pieces alone: until where T goes on as it begins. Newton's method on convex pieces: a handful of
/// solves, however many pieces there are.
ParametricPiece first_parametric_piece(const Graph& graph, const Slopes& slopes, NodeId end);

}  // namespace orrery::graph
