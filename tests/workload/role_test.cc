#include "workload/role.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <set>

using orrery::workload::Axis;
using orrery::workload::Role;

TEST_CASE("tensor, data and pipeline of 2 x 3 x 4 ranks") {
  const Role tensor{1, {{2, 1}}}, data{2, {{3, 2}}}, pipeline{3, {{4, 6}}};
  CHECK(tensor.ranks_with(9) == std::vector<std::uint32_t>{8, 9});
  CHECK(data.ranks_with(9) == std::vector<std::uint32_t>{7, 9, 11});
  CHECK(pipeline.ranks_with(9) == std::vector<std::uint32_t>{3, 9, 15, 21});
  CHECK(pipeline.place_of(9) == 1);
  CHECK(pipeline.neighbour(9, 1) == 15);
  CHECK(pipeline.neighbour(3, -1) == 21);  // round about
  CHECK(pipeline.neighbour(3, -9) == 21);
  CHECK(data.group_of(9) == 3);
}

TEST_CASE("a role over two axes: data and pipeline together") {
  const Role role{1, {{4, 6}, {3, 2}}};
  CHECK(role.size() == 12);
  CHECK(role.ranks_with(1) == std::vector<std::uint32_t>{1, 7, 13, 19, 3, 9, 15, 21, 5, 11, 17, 23});
  CHECK(role.group_of(21) == 1);
}

TEST_CASE("axes that do not divide the ranks are refused") {
  CHECK(Role{1, {{2, 1}}}.check(24));
  CHECK(Role{1, {{3, 2}, {4, 6}}}.check(24));
  CHECK_FALSE(Role{1, {{5, 1}}}.check(24));
  CHECK_FALSE(Role{1, {{4, 12}}}.check(24));
  CHECK_FALSE(Role{1, {{2, 2}, {2, 2}}}.check(24));  // the same direction twice
  CHECK_FALSE(Role{1, {{0, 1}}}.check(24));
}

TEST_CASE("every rank is at its own place of one group, and groups are numbered without gaps") {
  CHECK(rc::check([] {
    const auto sizes = *rc::gen::container<std::vector<std::uint32_t>>(4, rc::gen::inRange(1u, 5u));
    std::vector<Axis> all;
    std::uint32_t ranks = 1;
    for (const std::uint32_t size : sizes) {
      all.push_back({size, ranks});
      ranks *= size;
    }
    Role role{1, {}};
    for (const Axis& axis : all) {
      if (*rc::gen::arbitrary<bool>())
        role.axes.insert(role.axes.begin() + *rc::gen::inRange<int>(0, static_cast<int>(role.axes.size()) + 1), axis);
    }
    RC_ASSERT(role.check(ranks).ok());
    std::set<std::uint32_t> groups;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const auto members = role.ranks_with(rank);
      RC_ASSERT(members[role.place_of(rank)] == rank);
      for (const std::uint32_t member : members) RC_ASSERT(role.group_of(member) == role.group_of(rank));
      RC_ASSERT(role.neighbour(role.neighbour(rank, 3), -3) == rank);
      groups.insert(role.group_of(rank));
    }
    RC_ASSERT(groups.size() == ranks / role.size());
    RC_ASSERT(*groups.rbegin() == groups.size() - 1);
  }));
}
