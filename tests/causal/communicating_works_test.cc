// Which device work communicates: what was recorded before what launched it, and that before its name.
#include "causal/device/communicating_works.h"

#include <doctest/doctest.h>

#include "match/exchange_finder.h"
#include "step_path_text.h"

using namespace orrery;
using namespace orrery::causal;
using namespace orrery::causal::testing;

namespace {

/// Names of the work that communicates, in order of start.
Lines communicating(const trace::Trace& trace, const trace::RankTrace& rank) {
  const trace::ContentOrder content(trace, rank);
  Diagnostics diagnostics;
  const DeviceTimeline timeline = make_device_timeline(trace, rank, content, diagnostics);
  const std::vector<std::uint8_t> communicates = communicating_works(trace, rank, timeline, content);
  Lines names;
  for (std::size_t w = 0; w < communicates.size(); ++w) {
    if (communicates[w] != 0) names.emplace_back(trace.name(rank, timeline.works[w].event));
  }
  return names;
}

Lines communicating(std::string_view lines) {
  const SmallTrace small(lines);
  return communicating(small.trace(), small.rank());
}

/// A rank whose collective runs in a kernel of an odd name, beside one that only sounds like a library's.
std::string odd_rank(int late) {
  const auto at = [&](int us) { return std::to_string(us + late); };
  return orrery::testing::kineto_json(
      "1 " + at(0) + " 9 cpu_op aten::quantize\n1 " + at(1) + " 5 cuda_runtime cudaLaunchKernel correlation=1\n1 " +
      at(20) + " 5 cuda_runtime cudaLaunchKernel correlation=2\ngpu0/7 " + at(10) +
      " 10 kernel ncclX_quantize correlation=1\ngpu0/7 " + at(30) +
      " 40 kernel moe_dispatch_v3 correlation=2 \"Collective name\"=alltoall \"Process Group Name\"=0 Seq=4\n");
}

}  // namespace

TEST_CASE(
    "a participation communicates whatever it is called; a name alone is none where communications are recorded") {
  orrery::testing::TempDir dir;
  Diagnostics diagnostics;
  const trace::Trace job = orrery::testing::read_ranks(dir, {odd_rank(0), odd_rank(3)}, diagnostics);
  const match::Exchanges exchanges = match::find_exchanges(job);
  REQUIRE(exchanges.all.size() == 1);
  REQUIRE(exchanges.parts.size() == 2);
  for (const match::Participation& part : exchanges.parts) {
    const trace::RankTrace& rank = job.ranks[part.node];
    CHECK(communicating(job, rank) == Lines{std::string(job.name(rank, part.event))});
  }
  CHECK(communicating(job, job.ranks[0]) == Lines{"moe_dispatch_v3"});
}

TEST_CASE("the operator that launched it tells, and a library's entry kernel needs no operator") {
  CHECK(communicating(R"trace(
    1       0    20   cpu_op        c10d::allreduce_
    1       5    5    cuda_runtime  cudaLaunchKernel  correlation=1
    1       30   20   cpu_op        vllm::forward
    1       35   5    cuda_runtime  cudaLaunchKernel  correlation=2
    1       40   5    cuda_runtime  cudaLaunchKernel  correlation=3
    gpu0/7  10   10   kernel        cross_device_reduce_1stage             correlation=1
    gpu0/7  40   10   kernel        "ncclDevKernel_Generic(ncclArgs<4096>)" correlation=2
    gpu0/7  60   10   kernel        ncclX_quantize                         correlation=3
  )trace") == Lines{"cross_device_reduce_1stage", "ncclDevKernel_Generic(ncclArgs<4096>)"});
}

TEST_CASE("where nothing else is known the name counts; copies and sets are what their category says") {
  CHECK(communicating(R"trace(
    gpu0/7  0    10   kernel      ncclX
    gpu0/7  20   10   kernel      gemm
    gpu0/7  40   10   gpu_memset  ncclInit
    gpu0/7  60   10   gpu_memcpy  Memcpy  "Collective name"=allgather
    gpu0/7  80   10   kernel      ncclAllReduceRingLLKernel_sum_f32
  )trace") == Lines{"ncclX", "ncclAllReduceRingLLKernel_sum_f32"});
}
