#include "base/suggest.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

namespace orrery {

TEST_CASE("edit distance") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("path", "path") == 0);
  CHECK(edit_distance("pth", "path") == 1);
  CHECK(edit_distance("apth", "path") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("", "abc") == 3);
}

TEST_CASE("edit distance is symmetric, zero only for equals, and at most the longer length") {
  CHECK(rc::check([](const std::string& a, const std::string& b) {
    const std::size_t distance = edit_distance(a, b);
    RC_ASSERT(distance == edit_distance(b, a));
    RC_ASSERT((distance == 0) == (a == b));
    RC_ASSERT(distance <= std::max(a.size(), b.size()));
  }));
}

TEST_CASE("the nearest word, or none") {
  const std::vector<std::string_view> words = {"path", "whatif", "info", "check"};
  CHECK(nearest_word("pat", words) == "path");
  CHECK(nearest_word("what-if", words) == "whatif");
  CHECK(nearest_word("chekc", words) == "check");
  CHECK(nearest_word("wh", words) == "whatif");  // begins it
  CHECK(nearest_word("simulate", words).empty());
  CHECK(nearest_word("", words).empty());
  CHECK(nearest_word(std::string(100'000, 'x'), words).empty());
}

TEST_CASE("field names with units") {
  const std::vector<std::string_view> known = {"name", "size", "bandwidth_gb_per_s", "latency_ns", "topology"};
  CHECK(nearest_word("bandwidth", known) == "bandwidth_gb_per_s");
  CHECK(nearest_word("bandwith_gb_per_s", known) == "bandwidth_gb_per_s");
  CHECK(nearest_word("bandwidth_gbps", known) == "bandwidth_gb_per_s");
  CHECK(nearest_word("latency_us", known) == "latency_ns");
  CHECK(nearest_word("colour", known).empty());
}

}  // namespace orrery
