#include "trace/names/rank_numbers.h"

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
  for (const char* other : {"trace.json", "rank.json", "rank99999999999999999999.json", "", "/",
                            "/tmp/rank7/trace_3.json", "rank_x_4.json", "host_438.1790857026123456780.pt.trace.json.gz",
                            "model_bf16.json", "batch4.json", "tw003.json", "gpu1.json", "frank5.json"})
    CHECK_FALSE(rank_in_name(other).has_value());
}

TEST_CASE("the node in a file's name") {
  CHECK(node_in_name("run/node3.xplane.pb") == 3);
  CHECK(node_in_name("a/b/host-12.xplane.pb.gz") == 12);
  CHECK(node_in_name("t1v-n-9bfa07b4-w-0.xplane.pb") == 0);
  CHECK(node_in_name("Rank_4.xplane.pb") == 4);
  CHECK_FALSE(node_in_name("tw003.xplane.pb").has_value());
  CHECK_FALSE(node_in_name("jax_gpu1.xplane.pb").has_value());
  CHECK_FALSE(node_in_name("34.83.195.179_6003.xplane.pb").has_value());
  CHECK_FALSE(node_in_name("10.0.0.7.xplane.pb").has_value());
  CHECK_FALSE(node_in_name("host.xplane.pb").has_value());
  CHECK_FALSE(node_in_name("n99999999999999999999.xplane.pb").has_value());
}

TEST_CASE("the rank at the end of a name") {
  CHECK(rank_at_end("trace_12.gz") == 12);
  CHECK(rank_at_end("run.2_7") == 7);
  CHECK(rank_at_end("pmpi-trace-rank-3.txt.zst", ".txt") == 3);
  for (const char* other : {"trace", "trace_3.txt", "", "7a", "trace_99999999999999999999"})
    CHECK_FALSE(rank_at_end(other).has_value());
}

TEST_CASE("a program's name is a prefix and a rank") {
  for (const char* path : {"et/step.3.et", "et/step.3.et.gz", "et/step.3.json.zst"}) {
    const auto name = program_name(path);
    REQUIRE(name.has_value());
    CHECK(name->prefix == "et/step");
    CHECK(name->rank == 3);
  }
  for (const char* other : {"7.et", "step.et", "step.3.txt", "step.-3.et", "step.3a.json", ""})
    CHECK_FALSE(program_name(other).has_value());
}

}  // namespace orrery::trace
