#include "analyze/blame/throttled.h"

#include <doctest/doctest.h>

namespace orrery::analyze {

TEST_CASE("a rank is throttled that is clocked more than 5 % below the median of those that are known") {
  causal::CausalGraph job;
  job.ranks.resize(5);
  const auto set = [&](std::size_t rank, double mhz, std::uint64_t reasons) {
    job.ranks[rank].clock = {.mhz_ps = mhz * 10, .known_ps = 10, .reasons = reasons};
  };
  set(0, 1900, 0);
  set(1, 1000, 0x4);
  set(2, 1810, 0x4);  // 4.7 % below
  set(3, 1900, 0);
  // Of rank 4 nothing is known.
  const auto throttled = find_throttled(job);
  REQUIRE(throttled.size() == 5);
  CHECK_FALSE(throttled[0]);
  CHECK_FALSE(throttled[2]);
  CHECK_FALSE(throttled[4]);
  REQUIRE(throttled[1]);
  CHECK(throttled[1]->typical_mhz == 1855);
  CHECK(in_words(*throttled[1]) == "1,000 MHz instead of 1,855: software power cap");
}

TEST_CASE("without counters nobody is throttled") {
  causal::CausalGraph job;
  job.ranks.resize(2);
  CHECK_FALSE(find_throttled(job)[1]);
}

}  // namespace orrery::analyze
