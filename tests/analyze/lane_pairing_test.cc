#include "analyze/diff/piece_alignment.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <vector>

using namespace orrery::analyze;

namespace {

using Lane = std::vector<std::uint32_t>;
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Pairs paired(const std::vector<Lane>& a, const std::vector<Lane>& b) {
  const std::vector<LaneClasses> of_a(a.begin(), a.end()), of_b(b.begin(), b.end());
  return pair_lanes(of_a, of_b);
}

}  // namespace

TEST_CASE("as many on both sides: the n-th goes with the n-th, whatever is on them") {
  CHECK(paired({{1, 1}, {2, 2}}, {{2, 2}, {1, 1}}) == Pairs{{0, 0}, {1, 1}});
  CHECK(paired({}, {}).empty());
}

TEST_CASE("a new lane is left alone, also if it is used first") {
  const Lane compute{1, 2, 3, 1, 2, 3}, communication{7, 7}, copies{9};
  CHECK(paired({compute, communication}, {copies, compute, communication}) == Pairs{{0, 1}, {1, 2}});
  CHECK(paired({copies, compute, communication}, {compute, communication}) == Pairs{{1, 0}, {2, 1}});
  CHECK(paired({compute}, {communication, copies}) == Pairs{{0, 0}});  // nothing in common: by order
  CHECK(paired({{1, 2}}, {{1}, {2, 1}}) == Pairs{{0, 1}});
}

TEST_CASE("swapping the runs swaps the pairs, which ascend and are as many as there can be") {
  CHECK(rc::check([](const std::vector<Lane>& a, const std::vector<Lane>& b) {
    const Pairs pairs = paired(a, b), back = paired(b, a);
    RC_ASSERT(pairs.size() == back.size());
    // Every pair adds something, so that only the shorter side limits how many there are, unless crossing pairs have
    // more in common.
    RC_ASSERT(pairs.size() <= std::min(a.size(), b.size()));
    RC_ASSERT(pairs.empty() == (a.empty() || b.empty()));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      RC_ASSERT(pairs[i].first == back[i].second);
      RC_ASSERT(pairs[i].second == back[i].first);
      if (i > 0) RC_ASSERT(pairs[i - 1].first < pairs[i].first && pairs[i - 1].second < pairs[i].second);
    }
  }));
}
