// Jobs of known dependencies, executed from them: which delays stay, and which held nobody.
#include "match/operations/executed_job.h"

#include <doctest/doctest.h>

using namespace orrery;
using namespace orrery::match;

namespace {

/// One stage; times in milliseconds.
class GivenJob {
 public:
  explicit GivenJob(std::size_t replicas = 1) {
    graph_.stages = {0};
    graph_.steps = {0};
    for (std::size_t r = 0; r < replicas; ++r) {
      graph_.replicas.push_back(static_cast<std::int64_t>(r));
      graph_.worker.push_back(static_cast<std::int64_t>(r));
      graph_.node.push_back(static_cast<std::uint32_t>(r));
    }
  }

  /// `times`: of each replica; {0, -1}: it lacks it.
  std::uint32_t add(std::vector<std::uint32_t> needs, std::vector<std::pair<double, double>> times) {
    graph_.operations.push_back({"forward-compute", 0, 0, std::move(needs), OperationGraph::kAlone});
    times_.push_back(std::move(times));
    return static_cast<std::uint32_t>(graph_.operations.size() - 1);
  }
  void exchange(std::uint32_t operation) {
    graph_.operations[operation].exchange = static_cast<std::uint32_t>(graph_.exchanges.size());
    graph_.exchanges.push_back({{operation}, true});
  }

  ExecutedJob execute() {
    for (std::size_t r = 0; r < graph_.replicas.size(); ++r) {
      for (const auto& times : times_) {
        const auto ms = [](double time) { return static_cast<TimePs>(time * static_cast<double>(kPsPerMs)); };
        graph_.measured.push_back({ms(times[r].first), ms(times[r].second), 0, times[r].second >= 0});
      }
    }
    const auto order = find_execution_order(graph_);
    REQUIRE(order);
    return execute_job(graph_, *order);
  }

 private:
  OperationGraph graph_;
  std::vector<std::vector<std::pair<double, double>>> times_;
};

void check_times(const ExecutedOperation& operation, double start, double end) {
  CHECK(static_cast<double>(operation.start) / kPsPerMs == doctest::Approx(start));
  CHECK(static_cast<double>(operation.end) / kPsPerMs == doctest::Approx(end));
}

}  // namespace

TEST_CASE("a delay that held nobody goes, one that held the job stays") {
  GivenJob job;
  const auto forward = job.add({}, {{0, 100}});
  const auto backward = job.add({forward}, {{100, 200}});
  const auto receive = job.add({forward}, {{180, 190}});  // posted late, and yet in time
  const auto next = job.add({backward, receive}, {{200, 300}});
  job.add({next}, {{350, 400}});  // nothing explains why it began so late, and nobody else is last
  const ExecutedJob executed = job.execute();
  check_times(executed.operations[2], 100, 110);
  check_times(executed.operations[3], 200, 300);
  check_times(executed.operations[4], 350, 400);
  CHECK(executed.contradicted == 0);
}

TEST_CASE("what others went on from had ended; what began long before did not need it") {
  GivenJob job;
  const auto first = job.add({}, {{0, 100}});
  const auto close = job.add({first}, {{95, 200}});  // clocks of two processes
  job.add({close}, {{150, 300}});                    // another order than that of the first step
  const ExecutedJob executed = job.execute();
  check_times(executed.operations[0], 0, 95);
  check_times(executed.operations[1], 95, 200);
  CHECK(executed.contradicted == 1);
  CHECK(executed.needs_of(2).empty());
  check_times(executed.operations[2], 150, 300);
}

TEST_CASE("behind an operation that is missing comes what it needed") {
  GivenJob job;
  const auto first = job.add({}, {{0, 100}});
  const auto missing = job.add({first}, {{0, -1}});
  job.add({missing}, {{150, 200}});
  const ExecutedJob executed = job.execute();
  REQUIRE(executed.needs_of(2).size() == 1);
  CHECK(executed.needs_of(2).front() == first);
  check_times(executed.operations[2], 150, 200);
}

TEST_CASE("members of an exchange wait for the last, and their transfers stay as they were") {
  GivenJob job(2);
  const auto work = job.add({}, {{0, 100}, {0, 160}});
  const auto reduce = job.add({work}, {{130, 170}, {160, 172}});  // the first paused, and nobody waited for it
  job.exchange(reduce);
  const ExecutedJob executed = job.execute();
  check_times(executed.operations[1], 100, 170);
  check_times(executed.operations[3], 160, 172);
}

TEST_CASE("dependencies in a circle have no order") {
  OperationGraph graph;
  graph.replicas = graph.stages = graph.steps = {0};
  graph.operations.push_back({"gc", 0, 0, {1}, OperationGraph::kAlone});
  graph.operations.push_back({"optimizer", 0, 0, {0}, OperationGraph::kAlone});
  CHECK_FALSE(find_execution_order(graph));
}
