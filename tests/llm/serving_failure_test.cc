// A replica fails: what becomes of its requests.
#include "llm/served.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

EnginePlan failing_engine(double at_us) {
  EnginePlan plan = small_engine();
  plan.replicas = 2;
  plan.failure = Failure{.replica = 1, .at_ps = std::llround(at_us * kPsPerUs)};
  return plan;
}

std::string refusal_of(const EnginePlan& plan) {
  const auto run = serve(plan, requests_of({{}}), LinearCost(kSmallStep));
  return run ? "" : run.error().message;
}

}  // namespace

TEST_CASE("the step in progress is lost, and counts as queueing") {
  // Both begin at 0: 30 us on the first replica, 40 on the second, which fails at 25.
  const ServedRun run = served(failing_engine(25), {{0, 20, 1}, {0, 30, 1}});
  const RequestRecord& lost = run.records[1];
  CHECK(us(run.records[0].first_ps) == 30);
  CHECK(us(lost.first_ps) == 30 + 40);
  CHECK(us(lost.queued_ps[static_cast<std::size_t>(QueueCause::lost)]) == 25);
  CHECK(us(lost.queued_ps[static_cast<std::size_t>(QueueCause::step)]) == 5);
  CHECK(us(lost.own_ps) == 30);
  CHECK(us(lost.step_ps) == 10);
  CHECK(lost.replica == 0);
  CHECK(lost.preemptions == 0);
  CHECK(explained(lost) == lost.first_ps);
}

TEST_CASE("tokens that were made stay, and are read again with the prompt") {
  std::uint32_t again = 0;
  // First token at 40, two more at 51 and 62; fails at 65.
  const ServedRun run = served_requests(failing_engine(65), requests_of({{0, 20, 1}, {0, 30, 6}}),
                                        [&](const StepRecord& step, const Replica&) {
                                          if (us(step.begin_ps) == 65) again = step.prompt_tokens;
                                        });
  CHECK(again == 33);
  CHECK(us(run.records[1].first_ps) == 40);
  CHECK(us(run.records[1].last_ps) == 65 + 43 + 2 * 11);
}

TEST_CASE("those that ran go before those that waited, and both before new ones") {
  EnginePlan plan = failing_engine(25);
  plan.limits.max_requests = 1;
  // The second replica runs r1 and r3 waits for it; at 25 comes r4.
  const ServedRun run = served(plan, {{0, 20, 1}, {0, 30, 1}, {1, 20, 1}, {2, 20, 1}, {25, 5, 1}});
  CHECK(us(run.records[2].first_ps) == 60);
  CHECK(us(run.records[1].first_ps) == 100);
  CHECK(us(run.records[3].first_ps) == 130);
  CHECK(us(run.records[4].first_ps) == 145);
  for (const RequestRecord& record : run.records) {
    CHECK(record.replica == 0);
    CHECK(explained(record) == record.first_ps - record.arrival_ps);
  }
}

TEST_CASE("a step that ends at that moment has ended") {
  const ServedRun run = served(failing_engine(40), {{0, 20, 1}, {0, 30, 2}});
  CHECK(us(run.records[1].first_ps) == 40);
  CHECK(us(run.records[1].last_ps) == 40 + 41);
}

TEST_CASE("a replica that fails after the last token changes nothing") {
  EnginePlan plan = failing_engine(1e6);
  const std::vector<Asked> asked = {{0, 20, 3}, {0, 30, 3}};
  const ServedRun with = served(plan, asked);
  plan.failure.reset();
  const ServedRun without = served(plan, asked);
  CHECK(with.makespan_ps == without.makespan_ps);
  CHECK(with.steps == without.steps);
}

TEST_CASE("a failure that nobody can take over is refused") {
  EnginePlan plan = failing_engine(1);
  plan.failure->replica = 2;
  CHECK(refusal_of(plan) == "replica 2 fails, and there are 0 to 1");
  plan = failing_engine(1);
  plan.experts_shared = true;
  CHECK(refusal_of(plan).find("share experts") != std::string::npos);
  plan = failing_engine(1);
  plan.disaggregation = Disaggregation{.link_gb_per_s = 1};
  CHECK(refusal_of(plan).find("replicas of their own") != std::string::npos);
  plan = failing_engine(1);
  plan.replicas = 1;
  plan.failure->replica = 0;
  CHECK(refusal_of(plan) == "the only replica fails: nobody is left");
}
