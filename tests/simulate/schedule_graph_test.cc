#include "simulate/schedule_graph.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "comm_cases.h"
#include "graph/longest_path.h"
#include "graph/slack.h"
#include "random_job.h"
#include "simulate/engine/engine.h"
#include "simulate/replay.h"
#include "small_job.h"

namespace orrery::simulate::testing {
namespace {

struct Graphed {
  workload::Workload job;
  JobPlan plan;
  Schedule schedule;
  ScheduleGraph made;

  Graphed(workload::Workload given, const EngineOptions& options)
      : job(std::move(given)), plan(take(plan_job(job, {}))), schedule(run(job, options)), made(make()) {}
  Graphed(workload::Workload given, const ReplayOptions& options)
      : job(std::move(given)), plan(take(plan_job(job, {}))), schedule(take(replay(job, options))), made(make()) {}

  static Schedule run(const workload::Workload& job, const EngineOptions& options) {
    FixedNetwork network(100, 1);
    return take(execute(job, network, options));
  }
  ScheduleGraph make() {
    Causes causes(plan, schedule);
    return take(schedule_graph(causes, plan, schedule));
  }

  /// Whether every activity starts and ends when it did; a sentence about the first that does not.
  [[nodiscard]] std::string difference() const {
    const graph::Solution solution = graph::solve(made.graph);
    for (graph::NodeId i = 0; i < schedule.activity_count(); ++i) {
      if (solution.start(i) != schedule.start_ps[i])
        return "activity " + std::to_string(i) + " starts at " + std::to_string(solution.start(i));
      if (solution.finish(made.end_nodes[i]) != schedule.end_ps[i])
        return "activity " + std::to_string(i) + " ends at another time";
    }
    return solution.length() == schedule.makespan_ps() ? "" : "the length is not the makespan";
  }
  [[nodiscard]] std::size_t unexplained() const {
    std::size_t count = 0;
    for (graph::Slot slot = 0; slot < made.graph.edge_count(); ++slot)
      count += made.graph.type(slot) == static_cast<std::uint8_t>(ScheduleEdge::begin) ? 1 : 0;
    return count;
  }
};

EngineOptions random_options() {
  EngineOptions options;
  options.eager_limit_bytes = *rc::gen::element<std::int64_t>(-1, 100, 1'000);
  options.eager_overhead_ps = *rc::gen::element<TimePs>(0, 7);
  options.compute_slots = *rc::gen::element<std::uint32_t>(1, 2);
  options.keep_causes = *rc::gen::arbitrary<bool>();
  return options;
}

}  // namespace

TEST_CASE("the graph of a simulated run, solved, is the run, and every start has a cause") {
  CHECK(rc::check([] {
    const Graphed run(make_job(random_ranks(), {}, *rc::gen::arbitrary<bool>()), random_options());
    RC_ASSERT(run.difference() == "");
    RC_ASSERT(run.unexplained() == 0);
  }));
}

TEST_CASE("the graph of ranks that were executed as one is that of the one") {
  EngineOptions options;
  options.detail = Detail::executed_ranks;
  options.keep_causes = true;
  const Graphed run(make_uniform_job(16, {compute(50), all_reduce(80, {0}), compute(5, {1}), all_reduce(8, {1})}),
                    options);
  REQUIRE(run.schedule.activity_count() == 4);
  CHECK(run.difference() == "");
}

TEST_CASE("the graph of a replay, solved, is the replay, whenever its ranks begin") {
  CHECK(rc::check([] {
    std::vector<std::vector<Node>> ranks = random_ranks();
    for (std::vector<Node>& nodes : ranks) {
      for (Node& node : nodes) {
        if (node.kind == ActivityKind::send || node.kind == ActivityKind::recv || node.kind == ActivityKind::collective)
          node.duration = draw(0, 1000);
      }
    }
    workload::Workload job = make_job(ranks);
    const bool shifted = *rc::gen::arbitrary<bool>();
    for (std::size_t rank = 0; shifted && rank < job.rank_count(); ++rank) {
      workload::Program& program = job.programs[rank];
      for (std::size_t i = 0; i < program.size(); ++i) program.starts_ps.set(i, static_cast<TimePs>(1'000 * rank));
      program.starts_ps.complete(program.size());
    }
    const Graphed run(std::move(job), ReplayOptions{.eager_limit_bytes = *rc::gen::element<std::int64_t>(-1, 100)});
    RC_ASSERT(run.difference() == "");
  }));
}

TEST_CASE("a what-if on a simulated run reaches other ranks") {
  // Rank 1 computes for 900 before the collective, rank 0 for 10: the end is 900 + 108 + 500.
  const Graphed run(make_job({{compute(10), all_reduce(8, {0}), compute(500, {1})},
                              {compute(900), all_reduce(8, {0}), compute(20, {1})}}),
                    EngineOptions{});
  const graph::Solution solution = graph::solve(run.made.graph);
  CHECK(solution.length() == 1'508);
  const graph::Slack slack(solution);
  CHECK(slack.node(0) == 890);  // of rank 0
  CHECK(slack.node(3) == 0);    // of rank 1
  CHECK(slack.node(5) == 480);
  graph::Edits edits(run.made.graph);
  edits.set_duration(3, 100);
  CHECK(graph::solve(edits).length() == 708);
}

TEST_CASE("with edits a collective waits for whoever is last then, and a device does one thing after the other") {
  EngineOptions options;
  options.keep_causes = true;
  // Rank 1 is last at 900; without it rank 2 is, at 600.
  const Graphed run(
      make_job(
          {{compute(10), all_reduce(8, {0})}, {compute(900), all_reduce(8, {0})}, {compute(600), all_reduce(8, {0})}}),
      options);
  CHECK(run.difference() == "");
  graph::Edits edits(run.made.graph);
  edits.set_duration(2, 100);
  CHECK(graph::solve(edits).length() == 600 + 108);
  // The second compute did not wait for the first, since what it needs came after it had ended; on one device it would.
  const Graphed device(make_job({{compute(100), on_host(150), compute(10, {1})}}), options);
  CHECK(device.difference() == "");
  graph::Edits sooner(device.made.graph);
  sooner.set_duration(1, 0);
  CHECK(graph::solve(sooner).length() == 110);
}

}  // namespace orrery::simulate::testing
