// What a piece of communication is: kind, size, group and peers, from whatever says so.
#include "causal/program/collective_details.h"

#include <doctest/doctest.h>

#include "causal/join/communication_parts.h"
#include "small_link.h"

using namespace orrery;
using namespace orrery::causal;
using namespace orrery::causal::testing;
using orrery::testing::count_of;
using workload::ActivityKind;
using workload::Collective;

namespace {

constexpr const char* kGroups =
    R"(["[{\"pg_name\": \"0\", \"ranks\": [], \"group_size\": 4}, {\"pg_name\": \"5\", \"ranks\": [2, 6], \"group_size\": 2}]"])";

}  // namespace

TEST_CASE("a communication kernel says itself what it does") {
  const SmallLink link(R"(
      gpu0/7  0  50  kernel  ncclDevKernel_AllGather_RING  "Collective name"=_allgather_base  "In msg nelems"=100  "Out msg nelems"=200  dtype=BFloat16  "Process Group Name"=tensor_parallel  "Process Group Ranks"="[2, 6]"  "Group size"=2
  )");
  const std::size_t i = link.at("ncclDevKernel_AllGather_RING");
  CHECK(link.program().kinds[i] == ActivityKind::collective);
  CHECK(link.program().collectives[i] == Collective::all_gather);
  CHECK(link.program().bytes[i] == 200);
  CHECK(link.strings.text(link.program().group_names[i]) == "tensor_parallel");
  REQUIRE(link.linked->groups.size() == 1);
  CHECK(link.linked->groups[0].ranks == std::vector<std::uint32_t>{2, 6});
}

TEST_CASE("a group of all ranks is the world") {
  const SmallLink link(R"(
      gpu0/7  0  50  kernel  ncclDevKernel_AllReduce  "In msg nelems"=100  dtype=Float  "Process Group Name"=default  "Process Group Ranks"="[0, 1]"
  )",
                       {}, {}, R"("distributedInfo": {"rank": 0, "world_size": 2})");
  CHECK(link.program().group_names[0] == 0);
  CHECK(link.linked->groups.empty());
}

TEST_CASE("SendRecv: the row of the host trace tells message from collective, and the peer in its group") {
  const std::string attributes =
      R"(, {"name": "collective_name", "type": "string", "value": "send"}, {"name": "dtype", "type": "string", "value": "Float"},
         {"name": "in_msg_nelems", "type": "uint64", "value": 64}, {"name": "pg_name", "type": "string", "value": "5"})";
  const SmallLink link(
      R"(
      1       0   20  cpu_op        record_param_comms      "Record function id"=1
      1       5   5   cuda_runtime  cudaLaunchKernel        correlation=1
      gpu0/7  15  30  kernel        ncclDevKernel_SendRecv  correlation=1
  )",
      {{2, 1, 1, "record_param_comms", R"([[[9, 8, 0, 64, 4, "cuda:0"]], 3, ["5", "x"], 1, "send", [], []])", "[]", "",
        1, attributes},
       {3, 1, 7, "## process_group:init ##", kGroups}});
  const std::size_t i = link.at("ncclDevKernel_SendRecv");
  CHECK(link.program().kinds[i] == ActivityKind::send);
  CHECK(link.program().bytes[i] == 256);
  CHECK(link.program().peers[i] == 6);  // the second of the group
  CHECK(link.program().tags[i] == 0);
}

TEST_CASE("nothing says what SendRecv is: it stays a computation, with a remark") {
  const SmallLink link("gpu0/7 0 30 kernel ncclDevKernel_SendRecv\n");
  CHECK(link.program().kinds[0] == ActivityKind::compute);
  CHECK(count_of(link.diagnostics, "L225") == 1);
}

TEST_CASE("a collective of the host: its size from its tensor, its root from the call that asked for it") {
  const SmallLink link(R"(
      1  0   20   cpu_op           c10d::broadcast_  "Record function id"=8
      2  30  100  user_annotation  gloo:broadcast    "Record function id"=9
  )",
                       {{2, 1, 8, "c10d::broadcast_", "[[" + tensor(5, "cpu") + "], \"<Object>\", 3, 0]", "[]",
                         "c10d::broadcast_(Tensor[] tensors, ProcessGroup g, int root_rank, int root_tensor) -> Work"},
                        {3, 1, 9, "gloo:broadcast", "[" + tensor(5, "cpu") + "]"}});
  const std::size_t i = link.at("gloo:broadcast");
  CHECK(link.program().kinds[i] == ActivityKind::collective);
  CHECK(link.program().collectives[i] == Collective::broadcast);
  CHECK(link.program().bytes[i] == 32);
  CHECK(link.program().peers[i] == 3);
  CHECK(link.program().has(i, workload::activity::kOnHost));
  CHECK(count_of(link.diagnostics, "L227") == 1);
}

TEST_CASE("messages of the host have peer and tag; without a host trace they stay computations") {
  const char* const lines = R"(
      1  0   20  cpu_op           c10d::send  "Record function id"=8
      1  10  90  user_annotation  gloo:send   "Record function id"=9
  )";
  const SmallLink link(lines, {{2, 1, 8, "c10d::send", "[[" + tensor(5, "cpu") + "], \"<Object>\", 3, 12]", "[]",
                                "c10d::send(Tensor[] tensors, ProcessGroup g, int dst, int tag) -> Work"},
                               {3, 2, 9, "gloo:send", "[" + tensor(5, "cpu") + "]"}});
  const std::size_t i = link.at("gloo:send");
  CHECK(link.program().kinds[i] == ActivityKind::send);
  CHECK(link.program().peers[i] == 3);
  CHECK(link.program().tags[i] == 12);
  const SmallLink alone(lines);
  CHECK(alone.program().kinds[alone.at("gloo:send")] == ActivityKind::compute);
  CHECK(count_of(alone.diagnostics, "L228") == 1);
}

TEST_CASE("what the host did itself has size, peer, tag and group from the calls of the profiler trace") {
  const match::HostWork work{
      .event = 1, .call = 0, .kind = {ActivityKind::send, Collective::all_reduce}, .group = 0, .peer = 1, .tag = 4};
  LinkOptions options;
  options.host_work = std::span(&work, 1);
  const SmallLink link(
      R"(
      1  0   20  cpu_op           c10d::send
      1  10  90  user_annotation  gloo:send   "In msg nelems"=100  dtype=float
  )",
      {}, options,
      R"("distributedInfo": {"rank": 0, "world_size": 2, "pg_config": [{"pg_name": "0", "ranks": [0, 1]}]})");
  const std::size_t i = link.at("gloo:send");
  CHECK(link.program().kinds[i] == ActivityKind::send);
  CHECK(link.program().bytes[i] == 400);
  CHECK(link.program().peers[i] == 1);
  CHECK(link.program().tags[i] == 4);
}

TEST_CASE("a collective of the host communicates in the longest of its parts") {
  const SmallLink link(R"(
      1  0   100  user_annotation  gloo:all_reduce
      1  10  10   cuda_runtime     cudaMemcpyAsync
      1  90  5    cuda_runtime     cudaMemcpyAsync
  )");
  const std::size_t i = link.at("gloo:all_reduce");
  CHECK(link.program().duration_ps(i) == 70 * kPsPerUs);
  CHECK(link.program().kinds[i] == ActivityKind::collective);
  CHECK(std::count(link.program().kinds.begin(), link.program().kinds.end(), ActivityKind::collective) == 1);
}

TEST_CASE("collectives come in the order they were issued, not in the order their threads reached the network") {
  const SmallLink link(R"(
      1  0    10   cpu_op           c10d::allreduce_  "Record function id"=1
      2  100  300  user_annotation  gloo:all_reduce   "Record function id"=2
      2  110  100  cuda_runtime     cudaMemcpyAsync
      3  120  200  user_annotation  gloo:broadcast    "Record function id"=3
  )");
  REQUIRE(link.program().starts_ps[link.at("gloo:broadcast")] < link.program().starts_ps[link.at("gloo:all_reduce")]);
  CHECK(link.at("gloo:all_reduce") < link.at("gloo:broadcast"));
  CHECK(broken_promise(*link.linked) == "");
}
