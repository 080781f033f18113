// What stragglers cost, by the straggler study's definitions, of a job whose every delay is known.
#include "analyze/straggler/straggler.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "formats/training_operations/reader.h"
#include "support/temp_dir.h"

using namespace orrery;
using namespace orrery::analyze;

namespace {

/// Two replicas of two stages, two micro-batches, one step: a pipeline in which nothing waits but for what it needs.
/// `compute(replica, stage)`: seconds of a forward pass; a backward pass takes twice as long.
template <typename Compute>
StragglerStudy study_of(Compute&& compute) {
  std::string table = "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n";
  for (int replica = 0; replica < 2; ++replica) {
    const auto add = [&](int stage, const char* kind, double begin, double end, int number, int chunk) {
      table += fmt::format("{},{},{},3,{},{},{},{},{},{},{}\n", replica, stage, 2 * replica + stage, kind, begin,
                           end - begin, number, chunk < 0 ? "" : "0", chunk < 0 ? "" : fmt::format("{}", number),
                           chunk < 0 ? "" : fmt::format("{}", stage));
    };
    const double f0 = compute(replica, 0), f1 = compute(replica, 1);
    // forward 0 and 1 of stage 0, of stage 1 each followed by its backward, whose results stage 0 waits for
    const double a0 = 0.01, a1 = a0 + f0, a2 = a1 + f0;
    const double b0 = a1, b1 = b0 + f1, b2 = b1 + 2 * f1, b3 = std::max(b2, a2) + f1, b4 = b3 + 2 * f1;
    const double c0 = std::max(a2, b2), c1 = c0 + 2 * f0, c2 = std::max(c1, b4), c3 = c2 + 2 * f0;
    add(0, "params-all-gather", 0, 0.01, 0, 0), add(1, "params-all-gather", 0, 0.01, 0, 0);
    add(0, "forward-compute", a0, a1, 0, 0), add(0, "forward-compute", a1, a2, 1, 0);
    add(0, "forward-send", a1, a1, 0, -1), add(0, "forward-send", a2, a2, 1, -1);
    add(1, "forward-recv", 0.01, a1, 0, -1), add(1, "forward-recv", b1, std::max(b1, a2), 1, -1);
    add(1, "forward-compute", b0, b1, 0, 0), add(1, "backward-compute", b1, b2, 0, 0);
    add(1, "forward-compute", std::max(b2, a2), b3, 1, 0), add(1, "backward-compute", b3, b4, 1, 0);
    add(1, "backward-send", b2, b2, 0, -1), add(1, "backward-send", b4, b4, 1, -1);
    add(0, "backward-recv", a2, std::max(a2, b2), 0, -1), add(0, "backward-recv", c1, std::max(c1, b4), 1, -1);
    add(0, "backward-compute", c0, c1, 0, 0), add(0, "backward-compute", c2, c3, 1, 0);
    for (int stage = 0; stage < 2; ++stage) {
      const double done = stage == 0 ? c3 : b4;
      add(stage, "grads-reduce-scatter", done, done, 0, 0);
      add(stage, "optimizer-clip-main-grad", done, c3, 0, -1);
      add(stage, "optimizer", c3, c3 + 0.1, 0, -1);
    }
  }
  orrery::testing::TempDir dir;
  Diagnostics diagnostics;
  const auto trace = training_operations::read_table(dir.write("t.csv", table), diagnostics);
  REQUIRE(trace);
  const auto graph = match::make_operation_graph(*trace);
  REQUIRE(graph);
  CHECK(diagnostics.empty());
  const auto study = study_stragglers(*graph, "t.csv");
  REQUIRE(study);
  return *study;
}

}  // namespace

TEST_CASE("a job of equal workers has no slowdown, whatever is looked at") {
  const StragglerStudy study = study_of([](int, int) { return 0.2; });
  CHECK(study.slowdown() == doctest::Approx(1).epsilon(1e-9));
  // Two micro-batches through two stages: all-gather, forward of both, then the second backward behind the first.
  CHECK(study.measured / kPsPerSecond == doctest::Approx(0.01 + 0.2 + 6 * 0.2 + 0.4 + 0.1).epsilon(1e-9));
  for (const auto& list : {study.operations, study.replicas, study.stages, study.workers}) {
    for (const StragglerStudy::Slowdown& row : list) CHECK(row.factor == doctest::Approx(1).epsilon(1e-9));
  }
  REQUIRE(study.workers.size() == 4);
  CHECK(study.workers[3].rank == 3);
}

TEST_CASE("a slow stage is the stage that slows the job down, and a slow worker the worker") {
  const StragglerStudy by_stage = study_of([](int, int stage) { return stage == 1 ? 0.3 : 0.1; });
  CHECK(by_stage.stages[1].factor > 1.1);
  CHECK(by_stage.stages[0].factor < 1);
  CHECK(by_stage.last_stage_share > 0.9);
  CHECK(by_stage.replicas[0].factor == doctest::Approx(by_stage.replicas[1].factor));
  const StragglerStudy by_worker =
      study_of([](int replica, int stage) { return replica == 1 && stage == 0 ? 0.4 : 0.2; });
  CHECK(by_worker.replicas[1].factor > by_worker.replicas[0].factor);
  CHECK(by_worker.stages[0].factor > by_worker.stages[1].factor);
  CHECK(by_worker.workers[2].factor > by_worker.workers[0].factor);
  CHECK(by_worker.workers[2].factor >= by_worker.workers[3].factor);
  CHECK(by_worker.workers_share > 0.9);  // one worker of four is the slowest 3 %
}

TEST_CASE("a table that lacks a worker is refused") {
  orrery::testing::TempDir dir;
  Diagnostics diagnostics;
  const auto trace = training_operations::read_table(
      dir.write("t.csv",
                "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n0,0,0,1,optimizer,0,1,0,,,\n"
                "1,1,3,1,optimizer,0,1,0,,,\n"),
      diagnostics);
  REQUIRE(trace);
  const auto graph = match::make_operation_graph(*trace);
  REQUIRE_FALSE(graph);
  CHECK(graph.error().to_string().find("4 workers, and the table has 2") != std::string::npos);
}
