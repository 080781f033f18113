#include "simulate/engine/counter_slabs.h"

#include <doctest/doctest.h>

#include <vector>

namespace orrery::simulate {

TEST_CASE("pieces do not overlap, and what was given back is used again") {
  CounterSlabs slabs;
  const CounterSlabs::Piece a = slabs.take(600'000), b = slabs.take(600'000), c = slabs.take(100);
  CHECK(a.slab != b.slab);  // two do not fit into one block
  CHECK(c.slab == b.slab);
  CHECK(c.counters.data() == b.counters.data() + 600'000);
  slabs.give_back(b);
  CHECK(slabs.take(10).counters.data() == c.counters.data() + 100);  // the block is still in use
  slabs.give_back(a);
  const CounterSlabs::Piece large = slabs.take(5'000'000);  // larger than a block
  CHECK(large.counters.size() == 5'000'000);
  CHECK(large.slab == a.slab);
  large.counters.back() = 7;
}

}  // namespace orrery::simulate
