// A table of training operations: what depends on what becomes the edges of the job's graph, which every question asks.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "analyze/blame/blame.h"
#include "analyze/whatif/edit_selector.h"
#include "formats/training_operations/reader.h"
#include "graph/longest_path.h"
#include "job/recorded_job.h"

using namespace orrery;

namespace {

/// Three stages hand one micro-batch on, and the second takes three times as long; then all clip and step. What the
/// last stage receives is posted late, and yet in time. 0.58 s per step.
std::string pipeline(int steps) {
  std::string table = "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n";
  for (int step = 0; step < steps; ++step) {
    const auto add = [&](int stage, const char* kind, double begin, double end, bool computes = false) {
      table += fmt::format("0,{0},{0},{1},{2},{3},{4},0,{5},,{6}\n", stage, step, kind, begin, end - begin,
                           computes ? "0" : "", computes ? std::to_string(stage) : "");
    };
    add(0, "forward-compute", 0, 0.1, true), add(0, "forward-send", 0.1, 0.11);
    add(1, "forward-recv", 0, 0.11), add(1, "forward-compute", 0.11, 0.41, true), add(1, "forward-send", 0.41, 0.42);
    add(2, "forward-recv", 0.3, 0.42), add(2, "forward-compute", 0.42, 0.52, true);
    add(0, "optimizer-clip-main-grad", 0.1, 0.53), add(1, "optimizer-clip-main-grad", 0.41, 0.53);
    add(2, "optimizer-clip-main-grad", 0.52, 0.53);
    for (int stage = 0; stage < 3; ++stage) add(stage, "optimizer", 0.53, 0.58);
  }
  return table;
}

causal::CausalGraph graph_of(const std::string& table, const job::JobWindowRequest& request, Diagnostics& diagnostics) {
  auto trace = training_operations::parse_table(table, "t.csv", diagnostics);
  REQUIRE(trace);
  const auto job = job::RecordedJob::make(std::move(*trace), job::ClockChoice::automatic, diagnostics);
  REQUIRE(job);
  const auto window = job->window(request, diagnostics);
  REQUIRE(window);
  auto graph = job->graph(*window, {}, diagnostics);
  REQUIRE(graph);
  return std::move(*graph);
}

double seconds(TimePs time) { return static_cast<double>(time) / static_cast<double>(kPsPerSecond); }

}  // namespace

TEST_CASE("operations of a table wait for what they need, and the job takes as long as it did") {
  Diagnostics diagnostics;
  const causal::CausalGraph job = graph_of(pipeline(4), {}, diagnostics);
  CHECK(diagnostics.empty());
  CHECK(job.ranks.size() == 3);
  CHECK(job.steps.size() == 4);
  CHECK(job.operations.size() == 4 * 3);  // two messages and a collective per step
  CHECK(job.unmatched == 0);
  CHECK(job.cut == 0);
  CHECK(seconds(job.span) == doctest::Approx(4 * 0.58));
  CHECK(graph::solve(job.graph).length() == job.span);
}

TEST_CASE("blame of a table names the stage that is slow, and by what") {
  Diagnostics diagnostics;
  const causal::CausalGraph job = graph_of(pipeline(4), {}, diagnostics);
  const analyze::Blame blame = analyze::find_blame(job, diagnostics);
  REQUIRE_FALSE(blame.causes.empty());
  CHECK(blame.causes.front().rank == 1);
  CHECK(job.strings.text(blame.causes.front().work.name) == "forward-compute");
  // Were it typical, a step would take 0.1 s three times, two messages, the clipping and the optimizer.
  CHECK(seconds(blame.slowdown.ideal) == doctest::Approx(4 * 0.38));
  REQUIRE(blame.slowdown.ranks[1]);
  CHECK(blame.slowdown.ranks[1]->slowdown > blame.slowdown.ranks[0]->slowdown);
  CHECK(blame.slowdown.ranks[1]->slowdown > blame.slowdown.ranks[2]->slowdown);
}

TEST_CASE("a step of a table is a window like any other, and so is the whole") {
  Diagnostics diagnostics;
  const causal::CausalGraph step = graph_of(pipeline(3), {.typical = true}, diagnostics);
  CHECK(step.label == "step 1");
  CHECK(seconds(step.span) == doctest::Approx(0.58));
  CHECK(graph::solve(step.graph).length() == step.span);
  const causal::CausalGraph whole = graph_of(pipeline(3), {.annotation = ""}, diagnostics);
  CHECK(graph::solve(whole.graph).length() == whole.span);
  CHECK(seconds(whole.span) == doctest::Approx(3 * 0.58));
}

TEST_CASE("every rank of a table can be made to stand still where a step begins") {
  Diagnostics diagnostics;
  const causal::CausalGraph job = graph_of(pipeline(4), {}, diagnostics);
  const auto begins = analyze::pieces_at_step_begins(job);
  REQUIRE(begins.size() == 3);
  for (const auto& of_rank : begins) {
    CHECK(of_rank.size() == 4);
    CHECK(std::find(of_rank.begin(), of_rank.end(), graph::kNoSlot) == of_rank.end());
  }
}
