#include "trace/nesting.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>

namespace {

using orrery::trace::NestingRows;
using Slice = std::pair<std::int64_t, std::int64_t>;

/// The first row where it nests, found by looking at all of them.
std::vector<std::uint32_t> rows_one_by_one(const std::vector<Slice>& slices) {
  std::vector<std::vector<std::int64_t>> rows;
  std::vector<std::uint32_t> found;
  for (const auto& [start, end] : slices) {
    std::uint32_t row = 0;
    for (; row < rows.size(); ++row) {
      while (!rows[row].empty() && rows[row].back() <= start) rows[row].pop_back();
      if (rows[row].empty() || rows[row].back() >= end) break;
    }
    if (row == rows.size()) rows.emplace_back();
    rows[row].push_back(end);
    found.push_back(row);
  }
  return found;
}

TEST_CASE("each slice goes to the first row where it nests, and ends there once") {
  CHECK(rc::check([](const std::vector<std::pair<std::uint8_t, std::uint8_t>>& drawn) {
    std::vector<Slice> slices;
    for (const auto& [start, length] : drawn) slices.emplace_back(start % 40, start % 40 + length % 15);
    std::sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) { return a.first < b.first; });
    std::vector<std::vector<std::int64_t>> ended;
    std::size_t count = 0;
    NestingRows rows([&](NestingRows::Row row, std::int64_t end) {
      if (ended.size() <= row) ended.resize(row + 1);
      const bool in_order = ended[row].empty() || ended[row].back() <= end;  // RC_ASSERT would look at both sides
      RC_ASSERT(in_order);
      ended[row].push_back(end);
      ++count;
    });
    std::vector<std::uint32_t> found;
    for (const auto& [start, end] : slices) found.push_back(rows.add(start, end));
    rows.finish();
    RC_ASSERT(found == rows_one_by_one(slices));
    RC_ASSERT(count == slices.size());
  }));
}

TEST_CASE("a row for each of many slices that all overlap is found without a look at every row") {
  // Looked at one by one, the rows would be looked at 10^11 times.
  constexpr std::int64_t kSlices = 400'000;
  std::int64_t ended = 0;
  NestingRows rows([&](NestingRows::Row, std::int64_t) { ++ended; });
  for (std::int64_t i = 0; i < kSlices; ++i) CHECK_EQ(rows.add(i, kSlices + i), static_cast<std::uint32_t>(i));
  CHECK(rows.add(2 * kSlices, 2 * kSlices + 1) == 0);
  rows.finish();
  CHECK(ended == kSlices + 1);
}

}  // namespace
