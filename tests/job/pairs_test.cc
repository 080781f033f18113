#include "job/pairs/pairs.h"

#include <doctest/doctest.h>

namespace orrery::job {

TEST_CASE("traces are paired by name, then by rank; one of each belong together") {
  const auto any = pair_traces({"whatever.json"}, {"x.json"});
  REQUIRE(any.ok());
  CHECK(any->front().host == "whatever.json");
  const auto named = pair_traces({"b.et.json", "a.et.json.gz"}, {"a.kineto.json", "b.pt.trace.json.gz", "c.json"});
  REQUIRE(named.ok());
  CHECK((*named)[0].host == "a.et.json.gz");
  CHECK((*named)[1].host == "b.et.json");
  CHECK((*named)[2].host.empty());
  const auto ranked = pair_traces({"et_rank10.json", "et_rank2.json"}, {"kineto_rank2.json", "kineto_rank10.json"});
  REQUIRE(ranked.ok());
  CHECK((*ranked)[0].host == "et_rank2.json");
  CHECK((*ranked)[1].host == "et_rank10.json");
  CHECK_FALSE(pair_traces({"a.et.json", "z.et.json"}, {"a.kineto.json"}).ok());
}

}  // namespace orrery::job
