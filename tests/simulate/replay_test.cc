// Replay in closed form, and the one property it exists for: what was recorded in keeping with its dependencies replays
// exactly.
#include "simulate/replay.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <limits>

#include "random_job.h"

namespace orrery::simulate::testing {
namespace {

using workload::Dependency;
using workload::Workload;

Node lasting(Node node, TimePs duration) {
  node.duration = duration;
  return node;
}

void set_starts(Workload& job, std::size_t rank, const std::vector<TimePs>& starts) {
  workload::Program& program = job.programs[job.program_of_rank[rank]];
  for (std::size_t i = 0; i < starts.size(); ++i) program.starts_ps.set(i, starts[i]);
  program.starts_ps.complete(program.size());
}

Schedule replayed(const Workload& job, const ReplayOptions& options = {}) {
  Result<Schedule> schedule = replay(job, options);
  if (!schedule) throw std::invalid_argument(schedule.error().to_string());
  return std::move(*schedule);
}

std::string complaint(const Workload& job, const ReplayOptions& options = {}) {
  const Result<Schedule> schedule = replay(job, options);
  return schedule ? "" : schedule.error().message;
}

std::vector<TimePs> list(const Column<TimePs>& column) { return {column.begin(), column.end()}; }

constexpr ReplayOptions kAlone{.rendezvous = false};

}  // namespace

TEST_CASE("replay: a chain takes the sum, a diamond its longer side") {
  for (const ReplayOptions& options : {ReplayOptions{}, kAlone}) {
    const Workload chain = make_job({{compute(5), compute(7, {0}), nothing({1}), compute(2, {2})}});
    CHECK(list(replayed(chain, options).start_ps) == std::vector<TimePs>{0, 5, 12, 12});
    CHECK(list(replayed(chain, options).end_ps) == std::vector<TimePs>{5, 12, 12, 14});
    const Workload diamond = make_job({{compute(1), compute(10, {0}), on_host(3, {0}), compute(4, {1, 2})}});
    CHECK(list(replayed(diamond, options).start_ps) == std::vector<TimePs>{0, 1, 1, 11});
    CHECK(replayed(diamond, options).makespan_ps() == 15);
  }
}

TEST_CASE("replay: independent activities run at once, however many") {
  const Schedule schedule = replayed(make_job({{compute(5), compute(5), compute(9)}}));
  CHECK(schedule.makespan_ps() == 9);
  CHECK(schedule.ranks[0].compute_ps == 9);
}

TEST_CASE("replay: a dependency on a start waits for the start only") {
  std::vector<Node> nodes = {compute(3), compute(10, {0}), compute(2)};
  nodes[2].with = {1};
  const Workload job = make_job({nodes});
  for (const ReplayOptions& options : {ReplayOptions{}, kAlone}) {
    CHECK(list(replayed(job, options).start_ps) == std::vector<TimePs>{0, 3, 3});
    CHECK(list(replayed(job, options).end_ps) == std::vector<TimePs>{3, 13, 5});
  }
}

TEST_CASE("replay: dependencies may run against the ids") {
  const Workload job = make_job({{compute(4, {2}), compute(1), compute(6, {1})}});
  CHECK(list(replayed(job).start_ps) == std::vector<TimePs>{7, 0, 1});
  CHECK(list(replayed(job, kAlone).start_ps) == std::vector<TimePs>{7, 0, 1});
}

TEST_CASE("replay: a collective begins with its last rank and takes the shortest recorded time") {
  const Workload job = make_job({{compute(10), lasting(all_reduce(8, {0}), 95), compute(1, {1})},
                                 {compute(100), lasting(all_reduce(8, {0}), 5)}});
  const Schedule together = replayed(job);
  CHECK(list(together.start_ps) == std::vector<TimePs>{0, 10, 105, 0, 100});
  CHECK(list(together.end_ps) == std::vector<TimePs>{10, 105, 106, 100, 105});
  REQUIRE(together.collectives.size() == 1);
  CHECK(together.collectives[0] == CollectiveUse{Collective::all_reduce, 0, 2, 8, 10, 100, 105});
  CHECK(together.ranks[0].exposed_ps == 95);
  CHECK(together.ranks[1].exposed_ps == 5);

  const Schedule alone = replayed(job, kAlone);
  CHECK(list(alone.end_ps) == std::vector<TimePs>{10, 105, 106, 100, 105});  // the recording itself: rank 0 did wait
  CHECK(alone.collectives.empty());
}

TEST_CASE("replay: a duration that was not recorded does not make a collective free") {
  const Workload job = make_job({{all_reduce(8)}, {lasting(all_reduce(8), 5)}, {lasting(all_reduce(8), 9)}});
  CHECK(replayed(job).makespan_ps() == 5);
}

TEST_CASE("replay: collectives of one communicator match in order but do not queue") {
  const Workload job = make_job(
      {{lasting(all_reduce(8), 5), lasting(all_reduce(8), 7)}, {lasting(all_reduce(8), 5), lasting(all_reduce(8), 7)}});
  CHECK(list(replayed(job).start_ps) == std::vector<TimePs>{0, 0, 0, 0});
  CHECK(replayed(job).makespan_ps() == 7);
}

TEST_CASE("replay: a small message leaves without its recv, a large one waits for it") {
  const auto job = [](std::int64_t bytes) {
    return make_job({{lasting(send(1, bytes), 3), compute(1, {0})}, {compute(50), lasting(recv(0, bytes, {0}), 4)}});
  };
  CHECK(list(replayed(job(100)).end_ps) == std::vector<TimePs>{3, 4, 50, 53});
  CHECK(list(replayed(job(1 << 20)).end_ps) == std::vector<TimePs>{53, 54, 50, 53});
  CHECK(list(replayed(job(100), {.eager_limit_bytes = -1}).end_ps) == std::vector<TimePs>{53, 54, 50, 53});
}

TEST_CASE("replay: a recv waits for a late send") {
  const Workload job = make_job({{compute(50), lasting(send(1, 100, {0}), 3)}, {lasting(recv(0, 100), 53)}});
  CHECK(list(replayed(job).end_ps) == std::vector<TimePs>{50, 53, 53});
}

TEST_CASE("replay: ranks begin as recorded, the first at 0") {
  Workload job = make_job({{compute(10)}, {compute(10), compute(5, {0})}});
  set_starts(job, 0, {700});
  set_starts(job, 1, {1000, 1010});
  CHECK(list(replayed(job).start_ps) == std::vector<TimePs>{0, 300, 310});
  CHECK(list(replayed(job, kAlone).start_ps) == std::vector<TimePs>{0, 300, 310});
}

TEST_CASE("replay: the recorded span is from the first start to the last end") {
  Workload job = make_job({{compute(100), compute(5), compute(1)}});
  CHECK(recorded_span(job.programs[0]) == 0);
  CHECK(recorded_begin(job.programs[0]) == workload::kNotRecorded);
  set_starts(job, 0, {50, 40, workload::kNotRecorded});
  CHECK(recorded_span(job.programs[0]) == 110);
  CHECK(recorded_begin(job.programs[0]) == 40);
}

TEST_CASE("replay: whether there is anything to replay") {
  CHECK(has_durations(make_job({{nothing(), compute(1)}})));
  CHECK_FALSE(has_durations(make_job({{nothing(), compute(0), all_reduce(8)}})));
  CHECK_FALSE(has_durations(Workload()));
  CHECK(replayed(Workload()).activity_count() == 0);
}

TEST_CASE("replay: ranks that block one another are told apart from those that lack a partner") {
  const std::int64_t large = 1 << 20;
  const Workload circle = make_job({{send(1, large), recv(1, large, {0})}, {send(0, large), recv(0, large, {0})}});
  CHECK(complaint(circle).find("deadlock") == 0);
  CHECK(complaint(circle).find("rank 0, node 0 (send) waits for rank 1, node 1 (recv)") != std::string::npos);
  CHECK(complaint(circle, kAlone) == "");

  const Workload widow = make_job({{send(1, 8)}, {compute(1)}});
  CHECK(complaint(widow) == "rank 0, node 0 (send) waits for a recv by rank 1 with tag 0 that rank 1 never issues");
  const Workload strangers = make_job({{all_reduce(8, {}, "7")}});
  CHECK(complaint(strangers).find("group \"7\", which is not known") != std::string::npos);
}

TEST_CASE("replay: times beyond all reason are refused") {
  const TimePs days = graph::kMaxWeightPs;
  for (const ReplayOptions& options : {ReplayOptions{}, kAlone}) {
    CHECK(complaint(make_job({{compute(days), compute(days, {0}), compute(days, {1})}}), options).find("26 days") !=
          std::string::npos);
    CHECK(complaint(make_job({{compute(-1)}}), options).find("26 days") != std::string::npos);
    CHECK(complaint(make_job({{compute(days), lasting(all_reduce(1, {0}), days)}}), options).find("26 days") !=
          std::string::npos);
    Workload far = make_job({{compute(1)}, {compute(1)}});
    set_starts(far, 0, {-days});
    set_starts(far, 1, {days});
    CHECK(complaint(far, options).find("26 days") != std::string::npos);
    set_starts(far, 1, {days + 2});
    CHECK(complaint(far, options).find("26 days") != std::string::npos);
  }
}

TEST_CASE("replay: a chain of a million and a fan of a million") {
  constexpr std::uint32_t kCount = 1'000'000;
  std::vector<Node> chain{compute(1)}, fan{compute(1)};
  for (std::uint32_t i = 1; i < kCount; ++i) {
    chain.push_back(compute(1, {i - 1}));
    fan.push_back(compute(1, {0}));
  }
  for (const ReplayOptions& options : {ReplayOptions{}, kAlone}) {
    CHECK(replayed(make_job({chain}), options).makespan_ps() == kCount);
    CHECK(replayed(make_job({fan}), options).makespan_ps() == 2);
  }
}

TEST_CASE("replay: what was recorded in keeping with its dependencies replays exactly") {
  rc::check([] {
    std::vector<std::vector<Node>> ranks = random_ranks();
    for (std::vector<Node>& nodes : ranks) {
      for (Node& node : nodes) {
        if (node.kind == ActivityKind::send || node.kind == ActivityKind::recv || node.kind == ActivityKind::collective)
          node.duration = draw(1, 1000);
      }
    }
    const ReplayOptions options{.eager_limit_bytes = -1};
    // A first replay is a run that someone could have recorded: starts, and durations with the waiting in them.
    const bool edges_backwards = *rc::gen::arbitrary<bool>();
    const Workload first_job = make_job(ranks, {}, edges_backwards);
    const Schedule run = replayed(first_job, options);
    const std::vector<std::uint64_t> first = first_job.first_activities();
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      for (std::size_t i = 0; i < ranks[rank].size(); ++i)
        ranks[rank][i].duration = run.end_ps[first[rank] + i] - run.start_ps[first[rank] + i];
    }
    Workload job = make_job(ranks, {}, edges_backwards);
    const TimePs begin = draw(-1000, 1000);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const workload::Program& program = job.programs[rank];
      std::vector<TimePs> starts;
      TimePs from = std::numeric_limits<TimePs>::max(), to = 0;
      for (std::size_t i = 0; i < program.size(); ++i) {
        const TimePs start = run.start_ps[first[rank] + i], end = run.end_ps[first[rank] + i];
        starts.push_back(begin + start);
        from = std::min(from, start);
        to = std::max(to, end);
      }
      set_starts(job, rank, starts);
      RC_ASSERT(recorded_span(program) == (program.size() == 0 ? 0 : to - from));
    }
    const Schedule again = replayed(job, options);
    RC_ASSERT(list(again.start_ps) == list(run.start_ps));
    RC_ASSERT(list(again.end_ps) == list(run.end_ps));
    RC_ASSERT(list(replayed(job, kAlone).end_ps) == list(run.end_ps));
  });
}

TEST_CASE("replay: with one rank, together and alone are the same") {
  rc::check([] {
    std::vector<std::vector<Node>> ranks = random_ranks();
    const std::vector<std::vector<Node>> one = {ranks[0]};
    for (const Node& node : one[0]) RC_PRE(node.kind != ActivityKind::send && node.kind != ActivityKind::recv);
    const Workload job = make_job(one);
    RC_ASSERT(list(replayed(job).start_ps) == list(replayed(job, kAlone).start_ps));
  });
}

}  // namespace orrery::simulate::testing
