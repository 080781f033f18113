#include "formats/kineto/metadata.h"

#include <doctest/doctest.h>

using orrery::kineto::host_in_name;

TEST_CASE("the profiler's own file names say which host it was") {
  CHECK(host_in_name("gpu-node-17_4711.1731693000123456789.pt.trace.json") == "gpu-node-17");
  CHECK(host_in_name("logs/run 3/a_b.example.org_9.12.pt.trace.json.gz") == "a_b.example.org");
  CHECK(host_in_name("n_1.2.pt.trace.json.zst") == "n");
}

TEST_CASE("other names say nothing") {
  for (const char* const name : {"", "rank0.kineto.json.gz", "trace.json", "host_x.1.pt.trace.json",
                                 "host.1.pt.trace.json", "host_1.pt.trace.json", "host_1..pt.trace.json",
                                 "host_1.2.pt.trace.json.txt", "dir_1.2.pt.trace.json/rank0.json"})
    CHECK(host_in_name(name).empty());
}
