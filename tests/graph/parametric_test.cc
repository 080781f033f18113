#include "graph/parametric.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <random>
#include <vector>

#include "graph/edits.h"
#include "plain_graph.h"

using namespace orrery;
using namespace orrery::graph;
using namespace orrery::graph::testing;

namespace {

std::vector<ParametricPiece> pieces_of(const Graph& graph, const Slopes& slopes, NodeId end) {
  std::vector<ParametricPiece> pieces;
  for_each_parametric_piece(graph, slopes, end, [&](const ParametricPiece& piece) { pieces.push_back(piece); });
  return pieces;
}

/// A random graph in which all weights and durations at 0 and at 1 are at least 0, and its changes. Small times, so
/// that paths are often alike.
struct RandomLines {
  Graph graph;
  Slopes slopes;
  NodeId end = 0;
};
RandomLines random_lines(std::uint32_t seed, NodeId nodes, TimePs largest) {
  std::mt19937 random(seed);
  const auto below = [&](TimePs bound) { return static_cast<TimePs>(random() % static_cast<std::uint64_t>(bound)); };
  PlainGraph plain;
  for (NodeId node = 0; node < nodes; ++node) plain.durations.push_back(random() % 4 == 0 ? below(largest) : 0);
  for (NodeId node = 1; node < nodes; ++node) {
    for (TimePs k = 1 + below(3); k > 0; --k)
      plain.edges.push_back({static_cast<NodeId>(below(node)), node, below(largest)});
  }
  RandomLines lines{plain.build(), {}, nodes - 1};
  for (const TimePs weight : lines.graph.weights()) lines.slopes.weights.push_back(below(largest) - weight);
  for (Position p = 0; p < nodes; ++p)
    lines.slopes.durations.push_back(random() % 4 == 0 ? below(largest) - lines.graph.duration(lines.graph.node_at(p))
                                                       : 0);
  return lines;
}

/// T(i / n) * n by an ordinary solve with all times multiplied by n.
TimePs sampled(const RandomLines& lines, TimePs i, TimePs n) {
  Edits edits(lines.graph);
  for (Slot slot = 0; slot < lines.graph.edge_count(); ++slot)
    edits.set_weight(slot, lines.graph.weight(slot) * n + lines.slopes.weights[slot] * i);
  for (Position p = 0; p < lines.graph.node_count(); ++p) {
    const NodeId node = lines.graph.node_at(p);
    edits.set_duration(node, lines.graph.duration(node) * n + lines.slopes.durations[p] * i);
  }
  return solve(edits, lines.end).length();
}

}  // namespace

TEST_CASE("two branches: one grows, one shrinks, and the corner is where they are equal") {
  GraphBuilder builder;
  builder.add_nodes(2);
  builder.add_edge(0, 1, 0, 10);
  builder.add_edge(0, 1, 0, 4);
  const Graph graph = *std::move(builder).build();
  Slopes slopes;
  slopes.weights.push_back(-9);
  slopes.weights.push_back(4);
  const auto pieces = pieces_of(graph, slopes, 1);
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].path.slots == std::vector<Slot>{0});
  CHECK(pieces[0].end == Lambda{6, 13});
  CHECK(pieces[1].begin == Lambda{6, 13});
  CHECK(pieces[1].path.slots == std::vector<Slot>{1});
  CHECK(pieces[1].end == Lambda{1, 1});
}

TEST_CASE("a path that is the longest for a moment only is no piece") {
  GraphBuilder builder;
  builder.add_nodes(2);
  for (const TimePs weight : {4, 3, 2}) builder.add_edge(0, 1, 0, weight);  // 4, 3 + 2 x, 2 + 4 x: all meet at a half
  const Graph graph = *std::move(builder).build();
  Slopes slopes;
  for (const TimePs change : {0, 2, 4}) slopes.weights.push_back(change);
  const auto pieces = pieces_of(graph, slopes, 1);
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].slope == 0);
  CHECK(pieces[1].slope == 4);
  CHECK(pieces[1].begin == Lambda{1, 2});
}

TEST_CASE("the pieces found are the envelope: they agree with 1,000 samples, and none is missing between them") {
  CHECK(rc::check([] {
    const RandomLines lines = random_lines(*rc::gen::arbitrary<std::uint32_t>(), *rc::gen::inRange<NodeId>(2, 60),
                                           *rc::gen::element<TimePs>(3, 50, 1'000'000));
    const auto pieces = pieces_of(lines.graph, lines.slopes, lines.end);
    RC_ASSERT(!pieces.empty());
    RC_ASSERT(pieces.front().begin == Lambda{});
    RC_ASSERT(pieces.back().end == (Lambda{1, 1}));
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      RC_ASSERT(pieces[i].begin.value() < pieces[i].end.value());
      if (i == 0) continue;
      RC_ASSERT(pieces[i].begin == pieces[i - 1].end);
      RC_ASSERT(pieces[i - 1].slope < pieces[i].slope);
      const Lambda at = pieces[i].begin;  // continuous: both lines have one value at the corner
      RC_ASSERT(static_cast<Int128>(pieces[i].length - pieces[i - 1].length) * at.q ==
                static_cast<Int128>(pieces[i - 1].slope - pieces[i].slope) * at.p);
    }
    constexpr TimePs kSamples = 1000;
    std::size_t piece = 0;
    for (TimePs i = 0; i <= kSamples; ++i) {
      while (static_cast<Int128>(i) * pieces[piece].end.q > static_cast<Int128>(pieces[piece].end.p) * kSamples)
        ++piece;
      RC_ASSERT(pieces[piece].length * kSamples + pieces[piece].slope * i == sampled(lines, i, kSamples));
    }
  }));
}

TEST_CASE("each piece's path has its length and its slope") {
  CHECK(rc::check([] {
    const RandomLines lines =
        random_lines(*rc::gen::arbitrary<std::uint32_t>(), *rc::gen::inRange<NodeId>(2, 60), 1'000'000'000'000);
    TimePs sum = 0;
    for (const ParametricPiece& piece : pieces_of(lines.graph, lines.slopes, lines.end)) {
      TimePs length = 0, slope = 0;
      for (const NodeId node : piece.path.nodes) {
        length += lines.graph.duration(node);
        slope += lines.slopes.durations[lines.graph.position(node)];
      }
      for (const Slot slot : piece.path.slots) length += lines.graph.weight(slot), slope += lines.slopes.weights[slot];
      RC_ASSERT(length == piece.length);
      RC_ASSERT(slope == piece.slope);
      // Rounding of a corner to 2^-60 moves no sum by as much as a picosecond.
      sum += static_cast<TimePs>(
          (static_cast<Int128>(slope) * (piece.end.fixed() - piece.begin.fixed()) + (Int128{1} << 47)) >> 48);
    }
    const TimePs whole = sampled(lines, 1, 1) - solve(lines.graph, lines.end).length();
    RC_ASSERT(std::abs(sum - whole * 4096) <= 4096);
  }));
}

TEST_CASE("the first piece alone is the first of all") {
  rc::check("first_parametric_piece", [] {
    const RandomLines lines = random_lines(*rc::gen::arbitrary<std::uint32_t>(), *rc::gen::inRange<NodeId>(2, 40),
                                           *rc::gen::element<TimePs>(3, 50, 100'000));
    const ParametricPiece expected = pieces_of(lines.graph, lines.slopes, lines.end).front();
    const ParametricPiece found = first_parametric_piece(lines.graph, lines.slopes, lines.end);
    RC_ASSERT(found.length == expected.length);
    RC_ASSERT(found.slope == expected.slope);
    RC_ASSERT(found.end == expected.end);
  });
}
