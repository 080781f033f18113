#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <map>
#include <string>
#include <utility>

#include "generate/micro_benchmarks.h"
#include "generate/mpi_patterns.h"

using namespace orrery;
using workload::ActivityKind;
using workload::Workload;

namespace {

/// "0>1:8 x2, ...": how many messages of each size go from where to where; empty if any is not received.
std::map<std::string, int> messages(const Workload& workload) {
  std::map<std::string, int> sent, received;
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    const workload::Program& program = workload.program(rank);
    for (std::size_t i = 0; i < program.size(); ++i) {
      const std::string own = std::to_string(rank), peer = std::to_string(program.peers[i]),
                        bytes = ":" + std::to_string(program.bytes[i]);
      if (program.kinds[i] == ActivityKind::send) ++sent[own + ">" + peer + bytes];
      if (program.kinds[i] == ActivityKind::recv) ++received[peer + ">" + own + bytes];
    }
  }
  return sent == received ? sent : std::map<std::string, int>();
}

}  // namespace

TEST_CASE("a collective, repeated, is one program for all ranks") {
  const auto workload = generate::collective_benchmark(
      {.collective = workload::Collective::broadcast, .ranks = 5, .bytes = 100, .repetitions = 3, .root = 2});
  REQUIRE(workload.ok());
  CHECK(workload->rank_count() == 5);
  CHECK(workload->programs.size() == 1);
  CHECK(workload->program(4).size() == 3);
  CHECK(workload->program(4).peers[2] == 2);
  CHECK(workload->program(4).dependencies.edge_count() == 2);
  CHECK(workload->describe(1, 0) == "rank 1, node 0 (broadcast broadcast)");
  CHECK_FALSE(generate::collective_benchmark({.ranks = 2})->program(0).has(0, workload::activity::kHasPeer));
}

TEST_CASE("ping-pong goes there and back, in order") {
  const auto workload = generate::ping_pong(8, 3);
  REQUIRE(workload.ok());
  CHECK(messages(*workload) == std::map<std::string, int>{{"0>1:8", 3}, {"1>0:8", 3}});
  CHECK(workload->program(0).kinds[0] == ActivityKind::send);
  CHECK(workload->program(1).kinds[0] == ActivityKind::recv);
  CHECK(workload->program(0).dependencies.edge_count() == 5);
}

TEST_CASE("incast and all pairs send what they say") {
  CHECK(messages(*generate::incast(3, 8)) == std::map<std::string, int>{{"1>0:8", 1}, {"2>0:8", 1}});
  CHECK(messages(*generate::all_pairs(3, 8)).size() == 6);
}

TEST_CASE("a random permutation gives every rank one partner each way, never itself, the same for the same seed") {
  CHECK(rc::check([] {
    const auto ranks = *rc::gen::inRange<std::uint32_t>(2, 60);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto workload = generate::random_permutation(ranks, 8, seed);
    RC_ASSERT(workload.ok());
    RC_ASSERT(messages(*workload).size() == ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      RC_ASSERT(workload->program(rank).size() == 2u);
      RC_ASSERT(workload->program(rank).peers[0] != static_cast<std::int32_t>(rank));
    }
    RC_ASSERT(messages(*generate::random_permutation(ranks, 8, seed)) == messages(*workload));
  }));
  CHECK(messages(*generate::random_permutation(50, 8, 1)) != messages(*generate::random_permutation(50, 8, 2)));
}

TEST_CASE("every MPI pattern receives what it sends") {
  for (const std::string_view name : generate::mpi_pattern_names()) {
    CAPTURE(name);
    const auto workload = generate::mpi_pattern(name, {.ranks = 16, .bytes = 160, .segment_bytes = 50});
    REQUIRE(workload.ok());
    CHECK_FALSE(messages(*workload).empty());
  }
  CHECK(messages(*generate::mpi_pattern("pipelinedring", {.ranks = 2, .bytes = 120, .segment_bytes = 50})) ==
        std::map<std::string, int>{{"0>1:50", 2}, {"0>1:20", 1}});
}

TEST_CASE("what cannot be generated is an error") {
  CHECK_FALSE(generate::collective_benchmark({.ranks = 1}).ok());
  CHECK_FALSE(generate::collective_benchmark({.ranks = 2, .bytes = -1}).ok());
  CHECK_FALSE(generate::collective_benchmark({.ranks = 2, .root = 2}).ok());
  CHECK_FALSE(generate::ping_pong(8, 0).ok());
  CHECK_FALSE(generate::incast(1, 8).ok());
  CHECK_FALSE(generate::all_pairs(~0u, 8).ok());
  CHECK(generate::mpi_pattern("allreduce_recdoub", {.ranks = 6}).error().message ==
        "allreduce_recdoub needs a power of two ranks, not 6");
  CHECK(generate::mpi_pattern("nothing", {.ranks = 6}).error().message == "there is no pattern 'nothing'");
}
