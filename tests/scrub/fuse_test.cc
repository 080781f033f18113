#include "scrub/fuse.h"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

namespace orrery::scrub {
namespace {

FusableNode compute(std::uint64_t id, std::vector<std::uint64_t> needs, std::uint64_t place = 1) {
  FusableNode node;
  node.id = id;
  node.duration_us = 10 + id;
  node.start_us = 100 + id;
  node.operations = 1;
  node.bytes = 2;
  node.place = place;
  node.is_compute = true;
  node.needs = std::move(needs);
  return node;
}

TEST_CASE("a chain is taken over by its last node") {
  const FusedChains chains = find_chains({compute(1, {}), compute(2, {1}), compute(3, {2})});
  REQUIRE(chains.by_last_id.size() == 1);
  const FusedChains::Chain& chain = chains.by_last_id.at(3);
  CHECK(chain.first_id == 1);
  CHECK(chain.nodes == 3);
  CHECK(chain.duration_us == 11 + 12 + 13);
  CHECK(chain.operations == 3);
  CHECK(chain.bytes == 6);
  CHECK(chain.start_us == 101);
  CHECK(chains.gone == std::unordered_set<std::uint64_t>{1, 2});
}

TEST_CASE("what another node needs, or what needs two, is not fused") {
  CHECK(find_chains({compute(1, {}), compute(2, {1}), compute(3, {1})}).gone.empty());
  CHECK(find_chains({compute(1, {}), compute(2, {}), compute(3, {1, 2})}).gone.empty());
}

TEST_CASE("another place or another sort of node ends a chain") {
  CHECK(find_chains({compute(1, {}), compute(2, {1}, 2)}).gone.empty());
  FusableNode communication = compute(2, {1});
  communication.is_compute = false;
  CHECK(find_chains({compute(1, {}), communication, compute(3, {2})}).gone.empty());
}

TEST_CASE("ids that come twice, circles, and ids that are not there, stay") {
  CHECK(find_chains({compute(1, {}), compute(1, {}), compute(2, {1})}).gone.empty());
  CHECK(find_chains({compute(1, {2}), compute(2, {1})}).gone.empty());
  CHECK(find_chains({compute(1, {1})}).gone.empty());
  CHECK(find_chains({compute(2, {99})}).gone.empty());
  CHECK(find_chains({}).by_last_id.empty());
}

TEST_CASE("a chain ends where its sums would not fit") {
  FusableNode large = compute(2, {1});
  large.duration_us = std::numeric_limits<std::uint64_t>::max();
  CHECK(find_chains({compute(1, {}), large}).gone.empty());
  // What comes before goes together all the same.
  FusableNode last = compute(3, {2});
  last.bytes = std::numeric_limits<std::uint64_t>::max();
  const FusedChains chains = find_chains({compute(1, {}), compute(2, {1}), last});
  CHECK(chains.gone == std::unordered_set<std::uint64_t>{1});
  CHECK(chains.by_last_id.contains(2));
}

TEST_CASE("the order of nodes in a file is of no meaning") {
  const FusedChains chains = find_chains({compute(3, {2}), compute(1, {}), compute(2, {1})});
  CHECK(chains.gone == std::unordered_set<std::uint64_t>{1, 2});
  CHECK(chains.by_last_id.at(3).duration_us == 36);
}

}  // namespace
}  // namespace orrery::scrub
