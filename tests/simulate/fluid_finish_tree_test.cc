#include "simulate/fluid/finish_tree.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

using namespace orrery;
using namespace orrery::simulate;

TEST_CASE("an empty tree has no earliest time") {
  FinishTree tree;
  CHECK(tree.earliest() == kNever);
  tree.resize(1);
  CHECK(tree.earliest() == kNever);
  tree.set(0, 5);
  CHECK(tree.earliest() == 5);
  CHECK(tree.first() == 0);
}

TEST_CASE("the earliest of a plain list, whatever is set and however it grows") {
  CHECK(rc::check([] {
    FinishTree tree;
    std::vector<TimePs> plain;
    for (int step = 0; step < 100; ++step) {
      if (plain.empty() || *rc::gen::inRange(0, 10) == 0) {
        plain.resize(plain.size() + *rc::gen::inRange<std::size_t>(1, 5), kNever);
        tree.resize(plain.size());
      }
      const auto entry = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(plain.size()));
      plain[entry] = *rc::gen::inRange(0, 5) == 0 ? kNever : *rc::gen::inRange<TimePs>(0, 20);
      tree.set(entry, plain[entry]);
      const auto least = std::min_element(plain.begin(), plain.end());
      RC_ASSERT(tree.earliest() == *least);
      if (*least != kNever) RC_ASSERT(plain[tree.first()] == *least);
    }
  }));
}
