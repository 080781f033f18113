// Replicas whose layers are spread over the stages of a pipeline.
#include "llm/served.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

/// Every stage takes 10 us and as many as the step has tokens; 1 us from one to the next.
class StagedCost : public StepCost {
 public:
  explicit StagedCost(std::size_t stages) : stages_(stages) {}
  [[nodiscard]] StepPrice price(const Batch& batch) const override {
    return {(10 + TimePs{batch.tokens}) * kPsPerUs, 10 * kPsPerUs};
  }
  void price_stages(const Batch& batch, StagedStep& step) const override {
    step.stages_ps.assign(stages_, price(batch).step_ps);
    step.send_ps = kPsPerUs;
    step.fixed_ps = 10 * kPsPerUs;
  }

 private:
  const std::size_t stages_;
};

ServedRun piped(double stages, const std::vector<Asked>& all, std::vector<StepRecord>* steps = nullptr) {
  EnginePlan plan = small_engine();
  plan.stages = stages;
  const Requests requests = requests_of(all);
  StepWatcher watcher;
  if (steps != nullptr) watcher = [&](const StepRecord& step, const Replica&) { steps->push_back(step); };
  auto run = serve(plan, requests, StagedCost(static_cast<std::size_t>(stages)), watcher);
  REQUIRE_MESSAGE(run.ok(), (run ? "" : run.error().to_string()));
  return std::move(*run);
}

}  // namespace

TEST_CASE("a step passes all stages, one after the other") {
  const ServedRun run = piped(3, {{0, 20, 2}});
  CHECK(us(run.records[0].first_ps) == 3 * 30 + 2);
  CHECK(us(run.records[0].last_ps) == 3 * 30 + 2 + 3 * 11 + 2);
}

TEST_CASE("a stage has one step at a time, and waiting for it is the step's own") {
  // Both schedulers begin at 0: the second waits for the first stage until 30, and leaves the second 10 after the
  // first.
  const ServedRun run = piped(2, {{0, 20, 1}, {0, 10, 1}});
  CHECK(us(run.records[0].first_ps) == 61);
  CHECK(us(run.records[1].first_ps) == 61 + 20);
  // Of 81: 30 and 10 for the stages, 10 besides its tokens.
  CHECK(us(run.records[1].step_ps) == 50);
  CHECK(us(run.records[1].own_ps) == 31);
  for (const RequestRecord& record : run.records) CHECK(explained(record) == record.first_ps - record.arrival_ps);
}

TEST_CASE("as many steps are on their way as there are stages") {
  std::vector<StepRecord> steps;
  std::vector<Asked> many(8, Asked{0, 8, 50});
  const ServedRun run = piped(4, many, &steps);
  // Decodes of two requests take 12 us in each of four stages and 3 between: every 51 us each scheduler has one.
  std::vector<std::uint32_t> of_scheduler(4);
  for (const StepRecord& step : steps) ++of_scheduler[step.replica];
  CHECK(of_scheduler == std::vector<std::uint32_t>{50, 50, 50, 50});
  CHECK(us(run.makespan_ps) < 50 * 4 * 12 * 1.2);
  CHECK(us(run.makespan_ps) > 50 * 51);
}

TEST_CASE("schedulers share the cache evenly") {
  EnginePlan plan = small_engine(10);
  plan.stages = 4;
  CHECK(scheduler_limits(plan).kv_blocks == 2);
  CHECK(rules_of(plan).cache_tokens == 8);
  plan.failure = Failure{};
  CHECK_FALSE(check_failure(plan).ok());
}

TEST_CASE("one stage is the step itself") {
  const std::vector<Asked> asked = {{0, 20, 3}, {5, 30, 2}, {7, 4, 9}};
  const ServedRun staged = piped(1, asked), plain = served(small_engine(), asked);
  for (std::size_t i = 0; i < asked.size(); ++i) CHECK(staged.records[i].last_ps == plain.records[i].last_ps);
}
