#include "causal/join/needs.h"

#include <doctest/doctest.h>

#include <vector>

namespace orrery::causal {
namespace {

using match::Ordering;

/// Operations of one class: the moments of all members, rank by rank.
struct Class {
  JobOperation like;
  std::vector<JobOperation> operations = {};
  std::vector<JobPart> parts = {};
  std::vector<PartMoments> moments = {};

  void add(const std::vector<PartMoments>& members) {
    JobOperation operation = like;
    operation.first = static_cast<std::uint32_t>(parts.size());
    operation.count = static_cast<std::uint32_t>(members.size());
    if (like.root != kNoPart) operation.root = operation.first + like.root;
    for (std::uint32_t rank = 0; rank < members.size(); ++rank) {
      parts.push_back({.rank = rank, .operation = static_cast<std::uint32_t>(operations.size())});
      moments.push_back(members[rank]);
    }
    operations.push_back(operation);
  }
  [[nodiscard]] Needs needs() const { return find_needs(operations, parts, moments); }
};

std::vector<std::uint32_t> list(std::span<const std::uint32_t> row) { return {row.begin(), row.end()}; }

TEST_CASE("in an all-reduce everybody waits for everybody") {
  Class all_reduce{{.ordering = Ordering::everybody_waits}};
  all_reduce.add({{0, 20}, {10, 20}});
  const Needs needs = all_reduce.needs();
  CHECK(needs.everybody == std::vector<std::uint8_t>{1, 1});
  CHECK(needs.others.entry_count() == 0);
}

TEST_CASE("in an all-to-all with recorded sizes nobody waits for who sends it nothing, unless it was seen to") {
  Class all_to_all{{.ordering = Ordering::everybody_waits, .has_splits = true}};
  SUBCASE("the first ends before the last, which sends it nothing, has come") {
    all_to_all.add({{0, 12}, {10, 52}, {50, 52}});
    const std::vector<SilentPair> silent = {{0, 2}};
    const Needs needs = find_needs(all_to_all.operations, all_to_all.parts, all_to_all.moments, silent);
    CHECK(needs.everybody == std::vector<std::uint8_t>{0, 1, 1});
    CHECK(list(needs.others[0]) == std::vector<std::uint32_t>{1});
  }
  SUBCASE("the library holds it all the same") {
    all_to_all.add({{0, 52}, {10, 52}, {50, 52}});
    const std::vector<SilentPair> silent = {{0, 2}};
    const Needs needs = find_needs(all_to_all.operations, all_to_all.parts, all_to_all.moments, silent);
    CHECK(needs.everybody == std::vector<std::uint8_t>{1, 1, 1});
  }
}

TEST_CASE("a broadcast holds its leaves until the root has come, and its root only if that was seen") {
  Class broadcast{{.root = 0, .ordering = Ordering::root_first}};
  SUBCASE("the root ends long before a late leaf comes") {
    broadcast.add({{0, 5}, {1, 6}, {100, 105}});
    CHECK(list(broadcast.needs().others[0]).empty());
    CHECK(list(broadcast.needs().others[1]) == std::vector<std::uint32_t>{0});
    CHECK(list(broadcast.needs().others[2]) == std::vector<std::uint32_t>{0});
  }
  SUBCASE("the root stays until the last leaf has come") {
    broadcast.add({{0, 106}, {1, 6}, {100, 105}});
    CHECK(list(broadcast.needs().others[0]) == std::vector<std::uint32_t>{2});
    CHECK(list(broadcast.needs().others[1]) == std::vector<std::uint32_t>{0});
  }
  SUBCASE("the root ended before a leaf once: it does not need it, however long it stayed the other time") {
    broadcast.add({{0, 106}, {1, 6}, {100, 105}});
    broadcast.add({{0, 5}, {1, 6}, {100, 105}});
    CHECK(list(broadcast.needs().others[0]).empty());
  }
  SUBCASE("a leaf that was never much later shows nothing") {
    broadcast.add({{0, 106}, {1, 106}, {3, 105}});
    CHECK(list(broadcast.needs().others[0]).empty());
  }
}

TEST_CASE("the root of a reduction waits for all, the others for nobody") {
  Class reduce{{.root = 1, .ordering = Ordering::root_last}};
  reduce.add({{0, 5}, {3, 55}, {50, 55}});
  const Needs needs = reduce.needs();
  CHECK(needs.everybody == std::vector<std::uint8_t>{0, 1, 0});
  CHECK(list(needs.others[0]).empty());
  CHECK(list(needs.others[2]).empty());
}

TEST_CASE("a reduction in which everybody is seen to stay holds everybody") {
  Class reduce{{.root = 1, .ordering = Ordering::root_last}};
  reduce.add({{0, 56}, {3, 55}, {50, 55}});
  reduce.add({{40, 56}, {3, 55}, {50, 55}});
  CHECK(list(reduce.needs().others[0]) == std::vector<std::uint32_t>{2});
}

TEST_CASE("a send is held by its receiver unless it was seen to be buffered") {
  Class message{{.bytes = 1000, .ordering = Ordering::message}};
  SUBCASE("no sign either way: a device waits") {
    message.add({{0, 10}, {0, 10}});
    CHECK(list(message.needs().others[0]) == std::vector<std::uint32_t>{1});
    CHECK(list(message.needs().others[1]) == std::vector<std::uint32_t>{0});
  }
  SUBCASE("no sign either way: a host hands a small message over, and waits with a large one") {
    message.like.on_host = true;
    message.add({{0, 10}, {0, 10}});
    CHECK(list(message.needs().others[0]).empty());
    message.operations[0].bytes = 1 << 20;
    CHECK(list(message.needs().others[0]) == std::vector<std::uint32_t>{1});
  }
  SUBCASE("it ended before its receiver came") {
    message.add({{0, 10}, {50, 60}});
    CHECK(list(message.needs().others[0]).empty());
    CHECK(list(message.needs().others[1]) == std::vector<std::uint32_t>{0});
  }
  SUBCASE("a host was held for long") {
    message.like.on_host = true;
    message.add({{0, 110}, {100, 110}});
    CHECK(list(message.needs().others[0]) == std::vector<std::uint32_t>{1});
  }
}

TEST_CASE("large groups are judged by role") {
  Class broadcast{{.root = 0, .ordering = Ordering::root_first}};
  std::vector<PartMoments> members(kMostMembersInPairs + 1, {5, 20});
  members[0] = {0, 1006};
  members.back() = {1000, 1005};
  broadcast.add(members);
  const Needs needs = broadcast.needs();
  CHECK(needs.everybody[0] == 1);  // leaves as such: one of them held it
  CHECK(list(needs.others[1]) == std::vector<std::uint32_t>{0});
}

}  // namespace
}  // namespace orrery::causal
