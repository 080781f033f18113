// Programs for processes: who is called how, on which communicator, with how much.
#include <doctest/doctest.h>

#include "replay/mpi/mpi_call.h"
#include "replay/mpi/mpi_replay.h"
#include "replay/mpi/replay_plan.h"
#include "simulate/small_job.h"

namespace orrery::replay {
namespace {

using simulate::testing::all_reduce;
using simulate::testing::compute;
using simulate::testing::make_job;
using simulate::testing::recv;
using simulate::testing::send;
using workload::ActivityKind;
using workload::Collective;

simulate::testing::Node collective(Collective kind, std::int64_t bytes) {
  return {.kind = ActivityKind::collective, .bytes = bytes, .collective = kind};
}

}  // namespace

TEST_CASE("a function of MPI is called again, and other names mean the one that does not block") {
  CHECK(recorded_call("MPI_Send", ActivityKind::send) == kReplayBlocking);
  CHECK(recorded_call("MPI_Issend", ActivityKind::send) == kReplaySynchronous);
  CHECK(recorded_call("MPI_Alltoallv", ActivityKind::collective) == (kReplayBlocking | kReplayLists));
  CHECK(recorded_call("MPI_Ireduce_scatter_block", ActivityKind::collective) == 0);
  CHECK(recorded_call("MPI_Reduce_scatter", ActivityKind::collective) == (kReplayBlocking | kReplayLists));
  CHECK(recorded_call("MPI_Sendrecv", ActivityKind::send) == 0);
  CHECK(recorded_call("MPI_Send", ActivityKind::recv) == 0);
  CHECK(recorded_call("ncclDevKernel_AllReduce", ActivityKind::collective) == 0);
}

TEST_CASE("parts that do not divide evenly add up to what was asked for") {
  const workload::Workload job = make_job({{collective(Collective::all_to_all, 10)},
                                           {collective(Collective::all_to_all, 10)},
                                           {collective(Collective::all_to_all, 10)}});
  const auto plan = ReplayPlan::of(job);
  REQUIRE(plan);
  const RankProgram first = plan->program(0), last = plan->program(2);
  REQUIRE(first.operations[0].first_part == 0);
  CHECK(first.parts == std::vector<std::int64_t>{4, 3, 3, 4, 4, 4});
  CHECK(last.parts == std::vector<std::int64_t>{4, 3, 3, 3, 3, 3});
  CHECK(RankProgram::unpack(first.pack()).parts == first.parts);
}

TEST_CASE("tags beyond MPI's are numbered in their order, and others stay") {
  constexpr std::int64_t kLarge = std::int64_t{1} << 40;
  const workload::Workload job =
      make_job({{send(1, 8, {}, 5), send(1, 8, {}, kLarge)}, {recv(0, 8, {}, 5), recv(0, 8, {}, kLarge)}});
  const auto plan = ReplayPlan::of(job);
  REQUIRE(plan);
  CHECK(plan->program(0).operations[0].tag == 0);
  CHECK(plan->program(1).operations[1].tag == 1);
  const workload::Workload small = make_job({{send(1, 8, {}, 5)}, {recv(0, 8, {}, 5)}});
  const auto small_plan = ReplayPlan::of(small);
  REQUIRE(small_plan);
  CHECK(small_plan->program(0).operations[0].tag == 5);
}

TEST_CASE("what is beyond MPI's counts is an error before anything runs") {
  constexpr std::int64_t kGiB = std::int64_t{1} << 30;
  CHECK(ReplayPlan::of(make_job({{send(1, 3 * kGiB)}, {recv(0, 3 * kGiB)}})));
  const auto odd = ReplayPlan::of(make_job({{send(1, 3 * kGiB + 1)}, {recv(0, 3 * kGiB + 1)}}));
  REQUIRE(!odd);
  CHECK(odd.error().message.find("beyond the counts of MPI") != std::string::npos);
  CHECK(!ReplayPlan::of(make_job({{send(1, 64 * kGiB)}, {recv(0, 64 * kGiB)}})));
  CHECK(!ReplayPlan::of(make_job({{all_reduce(8)}, {compute(1)}})));  // a rank that never takes part
}

TEST_CASE("time inside calls that are made again is dropped, that of others is not") {
  workload::Workload job =
      make_job({{simulate::testing::on_host(1000), simulate::testing::on_host(2000, {0}), compute(3000, {1})}});
  job.programs[0].names[0] = job.strings.intern("MPI_Isend");
  job.programs[0].names[1] = job.strings.intern("MPI_Win_fence");
  CHECK(drop_call_times(job) == 1);
  CHECK(job.programs[0].duration_ps(0) == 0);
  CHECK(job.programs[0].duration_ps(1) == 2000);
  CHECK(job.programs[0].duration_ps(2) == 3000);
  CHECK(job.programs[0].dependencies.incoming(2).size() == 1);
}

TEST_CASE("who does not answer is named") {
  const workload::Workload job = make_job({{all_reduce(8)}, {all_reduce(8)}});
  const auto plan = ReplayPlan::of(job);
  REQUIRE(plan);
  const std::uint32_t waiting[] = {0}, ahead[] = {1};
  const OrreryReplayStall stalls[] = {{0, 1, waiting, 1, ahead, 1}, {1, 0, nullptr, 0, nullptr, 0}};
  CHECK(describe_stall(&*plan, stalls, 60) ==
        "no rank got on for 60 s: all_reduce number 1 of all ranks (rank 0, node 0 (all_reduce)), in which rank 0 "
        "waits, was never reached "
        "by rank 1; "
        "rank 1 does not answer");
}

}  // namespace orrery::replay
