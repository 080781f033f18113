#include "graph/position_set.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <set>

using namespace orrery::graph;

TEST_CASE("a set of positions is read in ascending order while it grows") {
  CHECK(rc::check([] {
    const auto size = *rc::gen::element<Position>(1, 63, 64, 65, 4095, 4096, 4097, 20'000);
    PositionSet positions(size);
    std::set<Position> expected;
    const auto insert = [&](Position from) {
      const auto p = *rc::gen::inRange<Position>(from, size);
      positions.insert(p);
      expected.insert(p);
    };
    for (int i = 0; i < 5; ++i) insert(0);
    for (Position p = positions.next(0); p < size; p = positions.next(p + 1)) {
      RC_ASSERT(!expected.empty());
      RC_ASSERT(p == *expected.begin());
      expected.erase(p);
      positions.erase(p);
      if (p + 1 < size && *rc::gen::inRange(0, 2) == 0) insert(p + 1);
    }
    RC_ASSERT(expected.empty());
    RC_ASSERT(positions.next(0) == size);
    insert(0);
    positions.clear();
    RC_ASSERT(positions.next(0) == size);
  }));
}
