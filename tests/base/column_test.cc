#include "base/column.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <vector>

namespace orrery {

TEST_CASE("a column behaves as a vector does") {
  CHECK(rc::check([](const std::vector<int>& values, const std::vector<int>& more) {
    Column<int> column;
    for (const int value : values) column.push_back(value);
    column.append(more);
    std::vector<int> expected = values;
    expected.insert(expected.end(), more.begin(), more.end());
    RC_ASSERT(std::vector<int>(column.begin(), column.end()) == expected);
    const auto size = *rc::gen::inRange<std::size_t>(0, 50);
    column.resize(size, 7);
    expected.resize(size, 7);
    RC_ASSERT(std::vector<int>(column.begin(), column.end()) == expected);
    column.shrink_to_fit();
    RC_ASSERT(column.memory_bytes() == size * sizeof(int));
    RC_ASSERT(std::vector<int>(column.begin(), column.end()) == expected);
  }));
}

TEST_CASE("moving takes the content along") {
  Column<std::uint64_t> first(3, 5);
  const std::uint64_t* data = first.data();
  Column<std::uint64_t> second = std::move(first);
  CHECK(second.data() == data);
  CHECK(first.empty());  // NOLINT(bugprone-use-after-move): what is promised
  first.push_back(1);
  first = std::move(second);
  CHECK(first.size() == 3);
  CHECK(first.back() == 5);
}

TEST_CASE("what cannot be had is bad_alloc, and the column stays as it was") {
  Column<std::uint64_t> column(2, 9);
  CHECK_THROWS_AS(column.reserve(~std::size_t{0} / 4), std::bad_alloc);
  CHECK(column.size() == 2);
  CHECK(column[1] == 9);
}

TEST_CASE("emptying and starting again") {
  Column<char> column;
  column.append({});
  column.shrink_to_fit();
  CHECK(column.empty());
  column.push_back('x');
  column.pop_back();
  column.clear();
  column.shrink_to_fit();
  CHECK(column.memory_bytes() == 0);
  column.push_back('y');
  CHECK(column.back() == 'y');
}

}  // namespace orrery
