#include "graph/scaled_classes.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "graph/longest_path.h"
#include "plain_graph.h"

using namespace orrery;
using namespace orrery::graph;
using namespace orrery::graph::testing;

TEST_CASE("scaling classes is editing their edges") {
  CHECK(rc::check([] {
    const PlainGraph plain = random_graph();
    const Graph graph = plain.build();
    RC_PRE(graph.node_count() > 0);
    const auto classes = *rc::gen::inRange<std::uint32_t>(1, 7);
    std::vector<std::uint32_t> class_of;
    for (Slot slot = 0; slot < graph.edge_count(); ++slot) {
      const auto chosen = *rc::gen::inRange<std::uint32_t>(0, classes + 1);
      class_of.push_back(chosen == classes ? kNoClass : chosen);
    }
    const NodeId end = *rc::gen::inRange<NodeId>(0, graph.node_count());
    std::vector<Scaling> scenarios(*rc::gen::inRange<std::size_t>(0, 21));
    for (Scaling& scenario : scenarios) {
      for (std::uint32_t c = 0; c < classes; ++c) {
        if (*rc::gen::arbitrary<bool>()) scenario.push_back({c, *rc::gen::element(0.0, 0.9, 1.0, 1.0 / 3, 7.5)});
      }
    }
    ScaledLengths solver(graph, class_of, classes);
    for (int again = 0; again < 2; ++again) {  // memory is used again
      const std::vector<TimePs> lengths = solver.solve(scenarios, end);
      RC_ASSERT(lengths.size() == scenarios.size());
      for (std::size_t i = 0; i < scenarios.size(); ++i) {
        Edits edits(graph);
        for (const ScaledClass& scaled : scenarios[i]) {
          for (Slot slot = 0; slot < graph.edge_count(); ++slot) {
            if (class_of[slot] == scaled.edge_class)
              edits.set_weight(slot, std::llround(static_cast<double>(graph.weight(slot)) * scaled.factor));
          }
        }
        RC_ASSERT(lengths[i] == solve(edits, end).length());
      }
    }
  }));
}
