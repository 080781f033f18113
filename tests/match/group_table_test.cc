#include "match/group_table.h"

#include <doctest/doctest.h>

using namespace orrery::match;

TEST_CASE("lists of ranks") {
  CHECK(parse_ranks("[0, 1, 2]") == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(parse_ranks("[0, 1, ..., 7]").empty());
  CHECK(parse_ranks("[]").empty());
  CHECK(parse_ranks("0, 1").empty());
  CHECK(parse_ranks("[-1]").empty());
}
