#include "motif/flow_walk.h"

#include <doctest/doctest.h>

#include <numeric>

namespace orrery::motif {
namespace {

Flow chain_of(std::size_t blocks, std::vector<ChainStep> steps) {
  Flow chain;
  chain.kind = Flow::Kind::chain;
  chain.parts.resize(blocks);
  chain.steps = std::move(steps);
  return chain;
}

TEST_CASE("laws that balance are what they say") {
  const Flow chain = chain_of(1, {{{}, 0, Formula(1.0)}, {{0}, 0, Formula(1.5)}, {{0}, ChainStep::kEnd, Formula(1.0)}});
  const auto rates = step_rates(chain, Scope());
  CHECK(rates[0] == doctest::Approx(1));
  CHECK(rates[1] == doctest::Approx(1.5));
  CHECK(rates[2] == doctest::Approx(1));
}

TEST_CASE("laws that do not balance keep their shares, and every entry ends once") {
  const Flow chain = chain_of(2, {{{}, 0, Formula(3.0)},
                                  {{0}, 1, Formula(1.0)},
                                  {{0}, ChainStep::kEnd, Formula(1.0)},
                                  {{0, 1}, 1, Formula(0.2)},
                                  {{1, 1}, ChainStep::kEnd, Formula(0.7)}});
  const auto rates = step_rates(chain, Scope());
  CHECK(rates == std::vector<double>{1, 0.5, 0.5, 0.5, 0.5});
}

TEST_CASE("a chain that is never left has the numbers that its laws say") {
  const Flow chain = chain_of(1, {{{}, 0, Formula(1.0)}, {{0}, 0, Formula(4.0)}});
  CHECK(step_rates(chain, Scope()) == std::vector<double>{1, 4});
  CHECK(step_rates(chain_of(0, {}), Scope()).empty());
}

}  // namespace
}  // namespace orrery::motif
