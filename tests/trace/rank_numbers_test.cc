#include "trace/rank_numbers.h"

#include <doctest/doctest.h>

namespace orrery::trace {

TEST_CASE("the rank in a name is the number behind that word") {
  CHECK(rank_in_name("ddp.rank12.json.gz") == 12);
  CHECK(rank_in_name("rank_5.pt.trace.json") == 5);
  CHECK(rank_in_name("RANK-5.json") == 5);
  CHECK(rank_in_name("trace_Rank.5.json") == 5);
  CHECK(rank_in_name("workerRank3.json") == 3);
  CHECK(rank_in_name("rank007.json") == 7);
  CHECK(rank_in_name("frank_trace.rank3.json") == 3);
  CHECK(rank_in_name("nranks8.rank2.json") == 2);
  for (const char* other :
       {"trace.json", "rank.json", "rank99999999999999999999.json", "", "/", "/tmp/rank7/trace_3.json", "rank_x_4.json",
        "host_438.1790857026123456780.pt.trace.json.gz", "model_bf16.json", "batch4.json", "tw003.json", "gpu1.json", "frank5.json"})
    CHECK_FALSE(rank_in_name(other).has_value());
}

}  // namespace orrery::trace
