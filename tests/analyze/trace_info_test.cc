// What is in a trace.
#include "analyze/check/trace_info.h"

#include <doctest/doctest.h>

#include "support/kineto_lines.h"

using namespace orrery;
using analyze::describe;
using analyze::RankInfo;
using orrery::testing::SmallTrace;
using trace::Activity;

TEST_CASE("counts, spans, steps, annotations, collectives and lanes of a rank") {
  const SmallTrace small(R"(
      1        1000  100  user_annotation      ProfilerStep#1
      1        1100  150  user_annotation      ProfilerStep#2
      1        1010  30   user_annotation      "## forward ##"
      1        1110  40   user_annotation      "## forward ##"
      1        1050  90   user_annotation      loss
      1        1010  20   cpu_op               aten::mm
      1        1012  5    cuda_runtime         cudaLaunchKernel  correlation=1
      2        1060  -4   cpu_op               backwards
      gpu0/7   1020  30   kernel               gemm              correlation=1
      gpu0/20  1060  500  kernel               ncclDevKernel     correlation=2  "Collective name"=allreduce
      gpu0/20  1600  100  kernel               ncclDevKernel     correlation=3  "Collective name"=allreduce
      gpu0/20  1700  10   kernel               ncclDevKernel     correlation=4  "Collective name"=broadcast
      gpu0/7   900   5    gpu_user_annotation  "## forward ##"
      9        0     5000 Trace                "PyTorch Profiler"
      1        2000  -    something            marker
  )");
  const RankInfo info = describe(small.trace(), small.rank());
  CHECK(info.span == 710 * kPsPerUs);  // from the first to the last work, without the recording's own span
  CHECK(info.host_lanes == 2);
  CHECK(info.device_streams == 2);

  REQUIRE(info.steps.size() == 2);
  CHECK(info.steps[0].name == "ProfilerStep#1");
  CHECK(info.steps[0].start == 0);
  CHECK(info.steps[1].start == 100 * kPsPerUs);
  CHECK(info.steps[1].duration == 150 * kPsPerUs);

  REQUIRE(info.annotations.size() == 2);  // by time
  CHECK(info.annotations[0].name == "loss");
  CHECK(info.annotations[1].name == "## forward ##");
  CHECK(info.annotations[1].count == 2);
  CHECK(info.annotations[1].time == 70 * kPsPerUs);

  REQUIRE(info.collectives.size() == 2);
  CHECK(info.collectives[0].name == "allreduce");
  CHECK(info.collectives[0].count == 2);
  CHECK(info.collectives[0].time == 600 * kPsPerUs);

  CHECK(info.categories[0].name == "user_annotation");  // by number of events, then by name
  CHECK(info.categories[0].events == 5);
  CHECK(info.categories[0].activity == Activity::annotation);
  CHECK(info.categories[1].name == "kernel");
  CHECK(info.categories[1].time == 640 * kPsPerUs);
  CHECK(info.categories[2].name == "cpu_op");
  CHECK(info.categories[2].time == 20 * kPsPerUs);  // a negative duration counts as none
  CHECK(info.categories.size() == 7);
}

TEST_CASE("an empty trace is described as empty") {
  const SmallTrace small("");
  const RankInfo info = describe(small.trace(), small.rank());
  CHECK(info.span == 0);
  CHECK(info.categories.empty());
  CHECK(info.steps.empty());
  CHECK(info.host_lanes == 0);
}

namespace {

/// "host device shapes"
std::string recorded_with(const SmallTrace& small) {
  std::string words;
  for (const std::string_view word :
       analyze::recorded_with({&small.rank(), analyze::describe(small.trace(), small.rank())}))
    words += (words.empty() ? "" : " ") + std::string(word);
  return words;
}

}  // namespace

TEST_CASE("which way a trace was recorded is read off its head and its events") {
  const std::string device =
      "1 12 5 cuda_runtime cudaLaunchKernel correlation=1\ngpu0/7 20 30 kernel gemm correlation=1\n";
  const std::string host = "1 10 20 cpu_op aten::mm \"Record function id\"=0\n";
  CHECK(recorded_with(SmallTrace(device)) == "device");
  CHECK(recorded_with(SmallTrace(device + host)) == "host device");
  CHECK(recorded_with(SmallTrace(host, R"("record_shapes": 1)")) == "host shapes");
  CHECK(
      recorded_with(SmallTrace(host, R"("with_stack": 1, "record_shapes": 1, "with_flops": 1, "profile_memory": 1)")) ==
      "host shapes stacks memory flops");
  CHECK(recorded_with(SmallTrace(host, R"("record_shapes": 0, "with_stack": false)")) == "host");
  CHECK(recorded_with(SmallTrace(host + "1 40 5 python_function train.py(3)\n")) == "host stacks");
  CHECK(recorded_with(SmallTrace("")) == "");
}

TEST_CASE("numbered operators say that a host trace was recorded beside, wherever they stand") {
  const std::string without = "1 10 20 cpu_op aten::mm \"Record function id\"=0\n";
  const std::string with = "1 40 20 cpu_op aten::mm \"Record function id\"=17\n";
  for (const std::string& lines : {with + without + without, without + without + with})
    CHECK(recorded_with(SmallTrace(lines)) == "host host_trace");
}
