#include "analyze/schedule/schedule_reasons.h"

#include <doctest/doctest.h>

#include "analyze/schedule/schedule_sheets.h"
#include "report/sheet_csv.h"
#include "simulate/engine/engine.h"
#include "simulate/small_job.h"

namespace orrery::analyze {
namespace {

using namespace simulate::testing;

struct Reasoned {
  workload::Workload job;
  simulate::Schedule schedule;
  Diagnostics diagnostics;

  explicit Reasoned(workload::Workload given) : job(std::move(given)) {
    FixedNetwork network(100, 1);
    simulate::EngineOptions options;
    options.keep_causes = true;
    schedule = std::move(*simulate::execute(job, network, options));
  }
  ScheduleReasons find(std::uint64_t most_bytes = 1'000'000) {
    auto reasons = find_reasons(job, schedule, {true, true}, diagnostics, most_bytes);
    REQUIRE(reasons.ok());
    return std::move(*reasons);
  }
};

// Rank 1 computes for 2,000, then both reduce for 200, then rank 0 computes for 1,000.
workload::Workload two_ranks() {
  return make_job({{compute(10), all_reduce(100, {0}, "pair"), compute(1'000, {1})},
                   {compute(2'000), all_reduce(100, {0}, "pair")}},
                  {{"pair", {0, 1}}});
}

}  // namespace

TEST_CASE("what the makespan reacts to: what is on the path, and the makespan with a tenth less") {
  Reasoned run(two_ranks());
  REQUIRE(run.schedule.makespan_ps() == 3'200);
  const ScheduleReasons reasons = run.find();
  REQUIRE(reasons.reactions.size() == 2);
  CHECK(reasons.reactions[0].what == "compute");
  CHECK(reasons.reactions[0].on_path_ps == 3'000);
  CHECK(reasons.reactions[0].pieces == 2);
  CHECK(reasons.reactions[0].least_slack_ps == 0);
  CHECK(reasons.reactions[0].less_makespan_ps == 2'900);
  CHECK(reasons.reactions[1].what == "all_reduce");
  CHECK(reasons.reactions[1].group == "pair");
  CHECK(reasons.reactions[1].less_makespan_ps == 3'180);
  CHECK(report::to_csv(reactions_sheet(reasons.reactions, 3'200)) ==
        "what,group,pieces,on_path_ns,share_pct,least_slack_ns,makespan_10_pct_less_ns,change_pct\n"
        "compute,,2,3,93.75,0,2.9,-9.375\n"
        "all_reduce,pair,1,0.2,6.25,0,3.18,-0.625\n");
}

TEST_CASE("groups that do the same side by side react together, and alone not at all") {
  // Two pairs reduce for 200 each, then all meet.
  const auto rank = [](const char* pair) {
    return std::vector<Node>{compute(50), all_reduce(100, {0}, pair), all_reduce(10, {1})};
  };
  Reasoned run(make_job({rank("a"), rank("a"), rank("b"), rank("b")}, {{"a", {0, 1}}, {"b", {2, 3}}}));
  const std::vector<Reaction> reactions = run.find().reactions;
  const TimePs makespan = run.schedule.makespan_ps();
  bool found = false;
  for (const Reaction& reaction : reactions) {
    if (reaction.group == "a" || reaction.group == "b") CHECK(reaction.less_makespan_ps == makespan);
    if (reaction.group != "2 groups of 2") continue;
    found = true;
    CHECK(reaction.what == "all_reduce");
    CHECK(reaction.less_makespan_ps < makespan);
  }
  CHECK(found);
}

TEST_CASE("what is on the path adds up to the makespan, also through eager messages and starts that are enough") {
  const std::vector<Node> first = {compute(50), send(1, 10, {0}), with({0}, on_host(500))},
                          second = {recv(0, 10), compute(5, {0}), compute(70)};
  Reasoned run(make_job({first, second}));
  TimePs sum = 0;
  for (const Reaction& reaction : run.find().reactions) sum += reaction.on_path_ps;
  CHECK(sum == run.schedule.makespan_ps());
}

TEST_CASE("the predicted makespan is that of the job with shorter durations, where nobody's turn changes") {
  Reasoned run(two_ranks());
  workload::Workload shorter = make_job(
      {{compute(9), all_reduce(100, {0}, "pair"), compute(900, {1})}, {compute(1'800), all_reduce(100, {0}, "pair")}},
      {{"pair", {0, 1}}});
  CHECK(run.find().reactions[0].less_makespan_ps == Reasoned(std::move(shorter)).schedule.makespan_ps());
}

TEST_CASE("a graph that would be too large is not made, and that is said; the path is there") {
  Reasoned run(two_ranks());
  const ScheduleReasons reasons = run.find(100);
  CHECK(reasons.reactions.empty());
  CHECK(!reasons.path.empty());
  REQUIRE(run.diagnostics.sorted().size() == 1);
  CHECK(run.diagnostics.sorted()[0].kind->code == std::string("S120"));
  CHECK(run.diagnostics.sorted()[0].example.find("5 activities would take") == 0);
}

TEST_CASE("times that the graph does not explain are not reacted to") {
  Reasoned run(two_ranks());
  run.schedule.causes = {};
  // The last compute does not wait for what it depends on, which ends at 2,200.
  run.schedule.start_ps[2] = 2'100;
  run.schedule.end_ps[2] = 3'100;
  const ScheduleReasons reasons = run.find();
  CHECK(reasons.reactions.empty());
  REQUIRE(run.diagnostics.sorted().size() == 1);
  CHECK(run.diagnostics.sorted()[0].kind->code == std::string("S121"));
}

TEST_CASE("what was waited for, per rank, and for whom") {
  Reasoned run(two_ranks());
  const ScheduleReasons reasons = run.find();
  CHECK(report::to_csv(waits_sheet(reasons.waits, 2)) ==
        "cause,kind,activities,mean_wait_ns,longest_wait_ns,wait_per_rank_ns\n"
        "last arrival,all_reduce,1,1.99,1.99,0.995\n"
        "begin,compute,2,0,0,0\n"
        "dependency,compute,1,0,0,0\n"
        "dependency,all_reduce,2,0,0,0\n");
  CHECK(report::to_csv(late_ranks_sheet(reasons.waits)) ==
        "rank,waits,mean_wait_ns,longest_wait_ns,share_pct\n1,1,1.99,1.99,100\n");
}

}  // namespace orrery::analyze
