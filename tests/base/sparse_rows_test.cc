#include "base/sparse_rows.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace orrery {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, int>>;

SparseRows<int> grouped(std::size_t rows, const Pairs& pairs) {
  return group_by_row<int>(rows, [&](const auto& add) {
    for (const auto& [row, entry] : pairs) add(row, entry);
  });
}

TEST_CASE("entries of a row lie together, in the order in which they were added") {
  const SparseRows<int> rows = grouped(4, {{2, 20}, {0, 1}, {2, 21}, {3, 30}, {0, 2}});
  CHECK(rows.row_count() == 4);
  CHECK(rows.entry_count() == 5);
  CHECK(std::ranges::equal(rows[0], std::vector{1, 2}));
  CHECK(rows[1].empty());
  CHECK(std::ranges::equal(rows[2], std::vector{20, 21}));
  CHECK(std::ranges::equal(rows.entries(), std::vector{1, 2, 20, 21, 30}));
  CHECK(std::ranges::equal(rows.firsts(), std::vector<std::uint32_t>{0, 2, 2, 4, 5}));
  CHECK(rows.length(0) == 2);
}

TEST_CASE("no rows, and rows without entries") {
  CHECK(SparseRows<int>().row_count() == 0);
  CHECK(grouped(0, {}).row_count() == 0);
  const SparseRows<int> rows = grouped(3, {});
  CHECK(rows.row_count() == 3);
  for (std::size_t row = 0; row < 3; ++row) CHECK(rows[row].empty());
}

TEST_CASE("grouping is a stable sort by row") {
  rc::check([] {
    const auto rows = *rc::gen::inRange<std::uint32_t>(1, 20);
    const auto row_numbers = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, rows));
    Pairs pairs;
    for (std::size_t i = 0; i < row_numbers.size(); ++i) pairs.emplace_back(row_numbers[i], static_cast<int>(i));
    const SparseRows<int> result = grouped(rows, pairs);
    std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<int> expected;
    for (const auto& pair : pairs) expected.push_back(pair.second);
    RC_ASSERT(std::ranges::equal(result.entries(), expected));
    std::size_t seen = 0;
    for (std::size_t row = 0; row < rows; ++row) seen += result[row].size();
    RC_ASSERT(seen == row_numbers.size());
  });
}

}  // namespace
}  // namespace orrery
