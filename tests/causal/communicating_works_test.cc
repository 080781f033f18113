// Which device work communicates: what was recorded before what launched it, and that before its name.
#include "causal/device/communicating_works.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "causal/host/launching_operators.h"
#include "match/exchange_finder.h"
#include "step_path_text.h"
#include "trace/names/rules.h"
#include "trace/select_events.h"

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

namespace {

trace::CommunicationRule ruled(std::string name, std::string library, std::string kind,
                               trace::CommunicationRole role = trace::CommunicationRole::data) {
  return {.name = std::move(name), .library = std::move(library), .kind = std::move(kind), .role = role};
}

/// "name: library kind role group" of works that are part of a communication, those that compute in brackets.
Lines told_by(std::vector<trace::CommunicationRule> rules, std::string_view lines) {
  const SmallTrace small(lines);
  trace::Trace trace = trace::copy_of(small.trace());
  trace.rules = std::make_shared<const trace::Rules>(std::move(rules), std::vector<trace::StepRule>());
  const trace::RankTrace& rank = trace.ranks.front();
  const trace::ContentOrder content(trace, rank);
  Diagnostics diagnostics;
  const DeviceTimeline timeline = make_device_timeline(trace, rank, content, diagnostics);
  const auto operators = launching_operators(trace, rank, timeline, content);
  const WorkCommunications found = communications_of_works(trace, rank, timeline, operators);
  const std::vector<std::uint8_t> communicates = communicating_works(trace, rank, timeline, content);
  Lines told;
  for (std::uint32_t w = 0; w < timeline.works.size(); ++w) {
    CHECK((communicates[w] != 0) == found.communicates(w));
    const CommunicationFacts* const facts = found.find(w);
    if (facts == nullptr) continue;
    const std::string text = fmt::format("{}: {} {} {} {}", trace.name(rank, timeline.works[w].event), facts->library,
                                         facts->kind, trace::to_string(facts->role), facts->group_size);
    told.push_back(found.communicates(w) ? text : "[" + text + "]");
  }
  return told;
}

}  // namespace

TEST_CASE("rules come behind what was recorded and what the operator asks for, and before a library's name") {
  std::vector<trace::CommunicationRule> rules = {
      ruled("ep_dispatch", "ep", "dispatch"), ruled("ep_notify", "ep", "dispatch", trace::CommunicationRole::sync),
      ruled("ep_layout", "ep", "dispatch", trace::CommunicationRole::setup), ruled("ncclX_quantize", "", "")};
  rules[0].group_size = "8";
  rules.back().communicates = false;
  rules.push_back({.operator_name = "^symm::put", .library = "symm", .kind = "broadcast"});
  CHECK(told_by(rules, R"trace(
    1       0    20   cpu_op        c10d::allreduce_
    1       5    5    cuda_runtime  cudaLaunchKernel  correlation=1
    1       30   20   cpu_op        symm::put
    1       35   5    cuda_runtime  cudaLaunchKernel  correlation=2
    gpu0/7  10   10   kernel        ep_layout             correlation=1
    gpu0/7  40   10   kernel        copy                  correlation=2
    gpu0/7  60   10   kernel        ep_dispatch
    gpu0/7  80   10   kernel        ep_notify
    gpu0/7  100  10   kernel        ep_layout
    gpu0/7  120  10   kernel        ncclX_quantize
    gpu0/7  140  10   kernel        gemm
    gpu0/7  160  10   kernel        ncclDevKernel_AllReduce_Sum_f32_RING_LL
    gpu0/7  180  10   kernel        ep_dispatch           "Collective name"=allgather "Group size"=4
    gpu0/7  200  10   gpu_memcpy    ep_dispatch
  )trace") == Lines{"ep_layout: ep dispatch data 0", "copy: symm broadcast data 0", "ep_dispatch: ep dispatch data 8",
                    "ep_notify: ep dispatch sync 0", "[ep_layout: ep dispatch setup 0]",
                    "ncclDevKernel_AllReduce_Sum_f32_RING_LL: nccl all_reduce data 0",
                    "ep_dispatch: ep dispatch data 4"});
}

TEST_CASE("what a library's kernel does is in its record, else in its name") {
  CHECK(told_by({}, R"trace(
    gpu0/7  0    10   kernel  ncclDevKernel_SendRecv
    gpu0/7  20   10   kernel  ncclDevKernel_Generic  "Collective name"=_allgather_base "Group size"=2
    gpu0/7  40   10   kernel  ncclSymkDevKernel_RSxLDMC_sum_f32
    gpu0/7  60   10   kernel  fusion.3               "Collective name"=send
  )trace") == Lines{"ncclDevKernel_SendRecv: nccl send_recv data 0", "ncclDevKernel_Generic: nccl all_gather data 2",
                    "ncclSymkDevKernel_RSxLDMC_sum_f32: nccl  data 0", "fusion.3:  send data 0"});
}

TEST_CASE("of work that a capture explains its own operator tells, not what is around the launch of its graph") {
  const SmallTrace small(R"trace(
    1       0    20   cpu_op        c10d::allreduce_
    1       5    5    cuda_runtime  cudaGraphLaunch  correlation=1
    gpu0/7  10   10   kernel        gemm                  correlation=1
    gpu0/7  20   10   kernel        copy                  correlation=1
    gpu0/7  30   10   kernel        one_shot              correlation=1
  )trace");
  trace::Trace trace = trace::copy_of(small.trace());
  trace.rules = std::make_shared<const trace::Rules>(
      std::vector<trace::CommunicationRule>{{.operator_name = "^symm::put", .library = "symm", .kind = "broadcast"}},
      std::vector<trace::StepRule>());
  trace::RankTrace& rank = trace.ranks.front();
  const std::string_view operators[] = {"aten::mm", "symm::put", "c10d::allreduce_"};
  std::size_t next = 0;
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    if (trace::is_device_work(rank.activity(e)))
      rank.field(trace::Field::operator_text).push(e, trace.strings.intern(std::string(operators[next++])));
  }
  REQUIRE(next == 3);
  CHECK(communicating(trace, rank) == Lines{"copy", "one_shot"});
}
