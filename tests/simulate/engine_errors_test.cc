// What does not fit together is an Error that names the activities; nothing hangs and nothing is left undone.
#include <doctest/doctest.h>

#include "simulate/engine/engine.h"
#include "small_job.h"

namespace orrery::simulate::testing {
namespace {

std::string error_of(const workload::Workload& job, EngineOptions options = {}) {
  FixedNetwork network(100, 1);
  const Result<Schedule> schedule = execute(job, network, options);
  return schedule.ok() ? std::string() : schedule.error().message;
}

Node rooted(std::int32_t root) {
  return {.kind = ActivityKind::collective, .bytes = 5, .peer = root, .collective = Collective::broadcast};
}

}  // namespace

TEST_CASE("collectives that do not match") {
  Node gather = all_reduce(8, {0});
  gather.collective = Collective::all_gather;
  CHECK(error_of(make_job({{compute(1), all_reduce(8)}, {compute(1), gather}})) ==
        "rank 0, node 1 (all_reduce) and rank 1, node 1 (all_gather) are both collective 0 of all ranks but differ in "
        "kind");
  CHECK(error_of(make_job({{all_reduce(8), all_reduce(8, {0})}, {all_reduce(8), all_reduce(9, {0})}})) ==
        "rank 0, node 1 (all_reduce) and rank 1, node 1 (all_reduce) are both collective 1 of all ranks but differ in "
        "size: 8 and 9 bytes");
  CHECK(error_of(make_job({{rooted(0)}, {rooted(1)}})) ==
        "rank 0, node 0 (broadcast) and rank 1, node 0 (broadcast) are both collective 0 of all ranks but differ in "
        "root: 0 and 1");
  CHECK(error_of(make_job({{rooted(3)}, {rooted(3)}})) ==
        "rank 0, node 0 (broadcast) has its root at rank 3, which is not in all ranks");
}

TEST_CASE("a collective that some rank never reaches") {
  CHECK(error_of(make_job({{all_reduce(8), all_reduce(8)}, {all_reduce(8)}})) ==
        "rank 0, node 1 (all_reduce) waits for rank 1, which takes part in only 1 collective of all ranks");
  CHECK(error_of(make_job({{compute(1)}, {all_reduce(8, {}, "g")}}, {{"g", {0, 1}}})) ==
        "rank 1, node 0 (all_reduce) waits for rank 0, which takes part in only 0 collectives of group \"g\"");
}

TEST_CASE("groups that are not there or list the wrong ranks") {
  CHECK(error_of(make_job({{all_reduce(8, {}, "g")}, {}})) ==
        "rank 0, node 0 (all_reduce) is in group \"g\", which is not known");
  CHECK(error_of(make_job({{all_reduce(8, {}, "g")}, {all_reduce(8, {}, "g")}}, {{"g", {1}}})) ==
        "rank 0, node 0 (all_reduce) is in group \"g\", which does not list rank 0");
  CHECK(error_of(make_job({{all_reduce(8, {}, "g")}}, {{"g", {0, 7}}})) ==
        "group \"g\" lists rank 7, but the job has 1 rank");
  CHECK(error_of(make_job({{all_reduce(8, {}, "g")}}, {{"g", {0, 0}}})) == "group \"g\" lists rank 0 twice");
  workload::Workload shared = make_uniform_job(3, {all_reduce(8, {}, "g")});
  shared.groups.push_back({shared.strings.intern("g"), {0, 2}});
  CHECK(error_of(shared) == "rank 1, node 0 (all_reduce) is in group \"g\", which does not list rank 1");
}

TEST_CASE("messages that do not match") {
  CHECK(error_of(make_job({{send(1, 10)}, {recv(0, 11)}})) ==
        "rank 0, node 0 (send) sends 10 bytes but rank 1, node 0 (recv) expects 11");
  CHECK(error_of(make_job({{}, {compute(1), recv(0, 11, {0}, 4)}})) ==
        "rank 1, node 1 (recv) waits for a send by rank 0 with tag 4 that rank 0 never issues");
  CHECK(error_of(make_job({{send(1, 10), send(1, 10)}, {recv(0, 10)}})) ==
        "rank 0, node 1 (send) waits for a recv by rank 1 with tag 0 that rank 1 never issues");
  CHECK(error_of(make_job({{send(1, 10, {}, 1)}, {recv(0, 10, {}, 2)}})) ==
        "rank 0, node 0 (send) waits for a recv by rank 1 with tag 1 that rank 1 never issues");
  CHECK(error_of(make_job({{send(2, 10)}, {}})) == "rank 0, node 0 (send) names rank 2, but the job has 2 ranks");
  CHECK(error_of(make_job({{Node{.kind = ActivityKind::send}}, {}})) ==
        "rank 0, node 0 (send) does not say which rank it exchanges a message with");
}

TEST_CASE("a deadlock of receives before sends is told all the way round") {
  const workload::Workload job =
      make_job({{compute(1200), recv(1, 8, {0}), send(1, 8, {1})}, {recv(0, 8), compute(5, {0}), send(0, 8, {1})}});
  CHECK(error_of(job) ==
        "deadlock after 1.20 ns with 1 of 6 activities done: rank 0, node 1 (recv) waits for rank 1, node 2 (send), "
        "which comes after rank "
        "1, "
        "node 0 (recv), which waits for rank 0, node 2 (send), which comes after the first: a cycle");
}

TEST_CASE("sends before receives: a rendezvous locks up, an eager message does not") {
  const workload::Workload job = make_job({{send(1, 8), recv(1, 8, {0})}, {send(0, 8), recv(0, 8, {0})}});
  CHECK(error_of(job) == "");
  CHECK(error_of(job, rendezvous()) ==
        "deadlock after 0 with 0 of 4 activities done: rank 0, node 0 (send) waits for rank 1, node 1 (recv), which "
        "comes after rank 1, "
        "node 0 (send), which waits for rank 0, node 1 (recv), which comes after the first: a cycle");
}

TEST_CASE("a deadlock across communicators: collectives, messages and the order of a stream") {
  // Rank 0 does a, then b; rank 1 does b, then a.
  const workload::Workload job =
      make_job({{all_reduce(1, {}, "a"), all_reduce(1, {0}, "b")}, {all_reduce(1, {}, "b"), all_reduce(1, {0}, "a")}},
               {{"a", {0, 1}}, {"b", {0, 1}}});
  CHECK(
      error_of(job) ==
      "deadlock after 0 with 0 of 4 activities done: rank 0, node 0 (all_reduce) waits for rank 1, node 1 "
      "(all_reduce), which comes after "
      "rank 1, node 0 (all_reduce), which waits for rank 0, node 1 (all_reduce), which comes after the first: a cycle");
  // Rank 0's second all-reduce is ready but queued behind the first, which waits for rank 1; and rank 1 waits for a
  // message that comes later.
  const workload::Workload queued =
      make_job({{all_reduce(1), all_reduce(2), send(1, 8, {1})}, {recv(0, 8), all_reduce(1, {0}), all_reduce(2)}});
  CHECK(error_of(queued) ==
        "deadlock after 0 with 0 of 6 activities done: rank 0, node 0 (all_reduce) waits for rank 1, node 1 "
        "(all_reduce), which comes after "
        "rank 1, node 0 (recv), which waits for rank 0, node 2 (send), which comes after rank 0, node 1 (all_reduce), "
        "which is queued behind "
        "the first: a cycle");
}

TEST_CASE("a long circle is cut short") {
  constexpr std::int32_t kRanks = 40;
  std::vector<std::vector<Node>> ranks;
  for (std::int32_t r = 0; r < kRanks; ++r)
    ranks.push_back({recv((r + kRanks - 1) % kRanks, 8), send((r + 1) % kRanks, 8, {0})});
  const std::string error = error_of(make_job(ranks));
  CHECK(
      error.find("rank 0, node 0 (recv) waits for rank 39, node 1 (send), which comes after rank 39, node 0 (recv)") !=
      std::string::npos);
  CHECK(error.ends_with(", … (68 more), which comes after the first: a cycle"));
}

TEST_CASE("times that cannot be") {
  CHECK(error_of(make_job({{compute(-1)}})) == "rank 0, node 0 (compute) takes less than no time or more than 26 days");
  CHECK(error_of(make_job({{compute(TimePs{1} << 60), compute(TimePs{1} << 60)}})) ==
        "the simulation takes longer than 26 days");
}

TEST_CASE("options that cannot be") {
  const workload::Workload job = make_job({{compute(1)}});
  EngineOptions options;
  options.host_slots = 0;
  CHECK(error_of(job, options) == "a device needs at least one slot of each kind");
  options = {};
  options.compute_time = ComputeTime::roofline;
  CHECK(error_of(job, options) == "a roofline needs the peak rate of the device and the bandwidth of its memory");
  options = {};
  options.memory_bytes_per_second = -1;
  CHECK(error_of(job, options) == "rates must be finite and not negative");
  options = {};
  options.launch_latency_ps = -1;
  CHECK(error_of(job, options) == "latencies and overheads must not be negative");
}

TEST_CASE("what the network refuses is handed on") {
  FixedNetwork network;
  network.refuse();
  const auto schedule = execute(make_job({{all_reduce(1)}}), network);
  REQUIRE_FALSE(schedule.ok());
  CHECK(schedule.error().message == "this network is closed");
}

TEST_CASE("a network model that never moves on ends the run") {
  class Stuck final : public NetworkModel {
   public:
    Result<Price> estimate(const CommOp&) override { return Price{}; }
    Result<std::vector<Price>> estimate(std::span<const CommOp>) override { return std::vector<Price>{}; }
    Status start(OpId, const CommOp&, TimePs now) override { return started_ = now, Status(); }
    [[nodiscard]] TimePs next_event() const override { return started_; }
    void advance(TimePs, std::vector<OpId>&) override {}
    [[nodiscard]] std::span<const LinkUse> link_uses() const override { return {}; }

   private:
    void reset(LinkRecorder*) override {}

    TimePs started_ = kNever;
  };
  Stuck network;
  const auto schedule = execute(make_job({{all_reduce(1)}, {all_reduce(1)}}), network);
  REQUIRE_FALSE(schedule.ok());
  CHECK(schedule.error().message == "the network model does not move on");
}

}  // namespace orrery::simulate::testing
