#include "causal/reduce/edge_pieces.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <utility>
#include <vector>

namespace orrery::causal {
namespace {

using List = std::vector<std::pair<WorkClass, TimePs>>;

List list_of(const EdgePieces& pieces, std::uint32_t list) {
  List result;
  pieces.for_each(list, [&](const WorkClass& work, TimePs time) { result.emplace_back(work, time); });
  return result;
}

List totals_of(const EdgePieces& pieces) {
  List result;
  pieces.for_each_total([&](const WorkClass& work, TimePs time) { result.emplace_back(work, time); });
  return result;
}

// Times of a recorder are whole nanoseconds; those on a corrected clock are not.
TEST_CASE("pieces are as they were put in, in memory and in a file, whatever their times") {
  CHECK(rc::check([] {
    const TimePs unit = *rc::gen::element<TimePs>(1, kPsPerNs);
    const auto classes = *rc::gen::inRange<std::uint32_t>(1, 30);
    EdgePieces pieces;
    List totals;
    std::vector<TimePs> sums;
    for (std::uint32_t i = 0; i < classes; ++i) {
      const WorkFamily family{i % 5, i / 5, i % 7};
      pieces.add_family(family);
      pieces.add_class(i, i % 3);
      sums.push_back(*rc::gen::inRange<TimePs>(-1'000'000, 1'000'000'000) * unit);
      totals.emplace_back(WorkClass{family.kind, family.name, family.class_name, i % 3}, sums.back());
    }
    pieces.set_totals(sums, unit == kPsPerNs);
    std::vector<List> lists(*rc::gen::inRange<std::size_t>(0, 10));
    for (List& list : lists) {
      std::vector<EdgePieces::Piece> some;
      for (std::uint32_t i = 0; i < classes; ++i) {
        if (*rc::gen::inRange(0, 3) != 0) continue;
        some.push_back({i, *rc::gen::inRange<TimePs>(-1000, 1'000'000'000) * unit});
        list.emplace_back(totals[i].first, some.back().time);
      }
      pieces.add(some);
    }
    EdgePieces read;
    RC_ASSERT(read.assign(pieces.filed()));
    for (const EdgePieces* const one : std::initializer_list<const EdgePieces*>{&pieces, &read}) {
      RC_ASSERT(one->size() == lists.size());
      RC_ASSERT(totals_of(*one) == totals);
      for (std::uint32_t i = 0; i < lists.size(); ++i) RC_ASSERT(list_of(*one, i) == lists[i]);
    }
  }));
}

TEST_CASE("a file whose lists have classes that are not there is refused") {
  EdgePieces pieces;
  pieces.add_family({});
  pieces.add_class(0, 0);
  pieces.set_totals(std::vector<TimePs>{5}, false);
  const EdgePieces::Piece piece{0, 5};
  pieces.add(std::span(&piece, 1));
  EdgePieces::Filed filed = pieces.filed();
  CHECK(EdgePieces().assign(filed));
  filed.bytes[0] = 1;
  CHECK_FALSE(EdgePieces().assign(filed));
  filed.bytes[0] = 0;
  filed.totals.push_back(1);
  CHECK_FALSE(EdgePieces().assign(filed));
}

}  // namespace
}  // namespace orrery::causal
