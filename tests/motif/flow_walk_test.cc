#include "motif/flow_walk.h"

#include <doctest/doctest.h>

namespace orrery::motif {
namespace {

Flow call(std::uint32_t site) {
  Flow flow;
  flow.kind = Flow::Kind::call;
  flow.site = site;
  return flow;
}
Flow loop(std::string_view trips, std::vector<Flow> parts) {
  Flow flow;
  flow.kind = Flow::Kind::loop;
  flow.trips = Formula::composed(trips);
  flow.parts = std::move(parts);
  return flow;
}
Flow sequence(std::vector<Flow> parts) {
  Flow flow;
  flow.parts = std::move(parts);
  return flow;
}

FlowCounts counts_of(const Flow& flow, const RunParameters& run = {.nodes = 9, .size = 10}) {
  return count_flow(flow, Scope(run, SizeMeaning::exponent),
                    [](std::uint32_t site, const Scope&) { return 10.0 * site; });
}

TEST_CASE("a loop is entered once and follows itself") {
  const FlowCounts counts = counts_of(sequence({call(1), loop("q", {call(2), call(3)}), call(4)}));
  CHECK(counts.sites.at(1).calls == 1);
  CHECK(counts.sites.at(2).calls == 3);
  CHECK(counts.sites.at(3).bytes == 90);
  CHECK(counts.transitions.at({0, 1}) == 1);
  CHECK(counts.transitions.at({1, 2}) == 1);
  CHECK(counts.transitions.at({2, 3}) == 3);
  CHECK(counts.transitions.at({3, 2}) == 2);
  CHECK(counts.transitions.at({3, 4}) == 1);
}

TEST_CASE("a loop of no trips is passed by") {
  const FlowCounts counts = counts_of(sequence({call(1), loop("q - 3", {call(2)}), call(3)}));
  CHECK(!counts.sites.contains(2));
  CHECK(counts.transitions.at({1, 3}) == 1);
}

TEST_CASE("nested loops multiply") {
  const FlowCounts counts = counts_of(loop("4", {call(1), loop("q", {call(2)})}));
  CHECK(counts.sites.at(2).calls == doctest::Approx(12));
  CHECK(counts.transitions.at({2, 2}) == doctest::Approx(8));
  CHECK(counts.transitions.at({2, 1}) == doctest::Approx(3));
}

TEST_CASE("the steps of a chain say how often its blocks are visited") {
  // A search: down, perhaps down again, then up twice, then out; per entry 1.25 times down.
  Flow chain;
  chain.kind = Flow::Kind::chain;
  chain.parts = {call(2), call(3)};
  chain.steps = {{{}, 0, Formula(1.0)},
                 {{0}, 0, Formula(0.25)},
                 {{0}, 1, Formula(1.0)},
                 {{0, 1}, 1, Formula(1.0)},
                 {{1, 1}, ChainStep::kEnd, Formula(1.0)}};
  const FlowCounts counts = counts_of(loop("8", {call(1), chain, call(4)}));
  CHECK(counts.sites.at(2).calls == doctest::Approx(10));
  CHECK(counts.sites.at(3).calls == doctest::Approx(16));
  CHECK(counts.transitions.at({1, 2}) == doctest::Approx(8));
  CHECK(counts.transitions.at({2, 2}) == doctest::Approx(2));
  CHECK(counts.transitions.at({3, 3}) == doctest::Approx(8));
  CHECK(counts.transitions.at({3, 4}) == doctest::Approx(8));
  CHECK(counts.transitions.at({4, 1}) == doctest::Approx(7));
}

TEST_CASE("bytes may depend on the visit") {
  Flow chain;
  chain.kind = Flow::Kind::chain;
  chain.parts = {call(1)};
  chain.steps = {{{}, 0, Formula(1.0)}, {{0}, 0, Formula(1.5)}, {{0}, ChainStep::kEnd, Formula(1.0)}};
  const FlowCounts counts =
      count_flow(chain, Scope(), [](std::uint32_t, const Scope& scope) { return 100 * scope[Variable::level]; });
  CHECK(counts.sites.at(1).calls == doctest::Approx(2.5));
  CHECK(counts.sites.at(1).bytes == doctest::Approx(100 + 200 + 150));
}

}  // namespace
}  // namespace orrery::motif
