// The scheduler of a serving engine, rule by rule, against times that were added up by hand.
#include "llm/served.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

double queued_us(const RequestRecord& record, QueueCause cause) {
  return us(record.queued_ps[static_cast<std::size_t>(cause)]);
}

}  // namespace

TEST_CASE("a long prompt is read in pieces of the budget") {
  const ServedRun run = served(small_engine(1000, 8), {{0, 20, 3}});
  // 8, 8 and 4 tokens, then one each.
  CHECK(us(run.records[0].first_ps) == 18 + 18 + 14);
  CHECK(us(run.records[0].last_ps) == 50 + 2 * 11);
  CHECK(run.steps == 5);
  CHECK(us(run.makespan_ps) == 72);
  CHECK(us(run.records[0].own_ps) == 20);
  CHECK(us(run.records[0].step_ps) == 30);
}

TEST_CASE("a step is divided between own tokens, prompts and tokens of others, and itself") {
  // The second comes while the first is read; then both share steps: 1 token of the first, 8 of the second.
  const ServedRun run = served(small_engine(), {{0, 10, 5}, {5, 8, 1}});
  const RequestRecord& second = run.records[1];
  CHECK(us(run.records[0].first_ps) == 20);
  CHECK(us(second.first_ps) == 20 + 19);
  CHECK(queued_us(second, QueueCause::step) == 15);
  CHECK(us(second.step_ps) == 10);
  CHECK(us(second.own_ps) == 8);
  CHECK(us(second.prefill_of_others_ps) == 0);
  CHECK(us(second.decode_of_others_ps) == 1);
}

TEST_CASE("why a request is not admitted") {
  SUBCASE("seats") {
    EnginePlan plan = small_engine();
    plan.limits.max_requests = 1;
    const ServedRun run = served(plan, {{0, 10, 1}, {0, 10, 1}});
    CHECK(queued_us(run.records[1], QueueCause::seats) == 20);
  }
  SUBCASE("blocks") {
    const ServedRun run = served(small_engine(4), {{0, 12, 1}, {0, 8, 1}});
    CHECK(queued_us(run.records[1], QueueCause::blocks) == 22);
  }
  SUBCASE("budget") {
    const ServedRun run = served(small_engine(1000, 8), {{0, 8, 1}, {0, 8, 1}});
    CHECK(queued_us(run.records[1], QueueCause::budget) == 18);
  }
  SUBCASE("a prompt in one piece that does not fit beside another") {
    EnginePlan plan = small_engine(1000, 8);
    plan.limits.chunked_prefill = false;
    const ServedRun run = served(plan, {{0, 6, 1}, {0, 6, 1}});
    CHECK(queued_us(run.records[1], QueueCause::budget) == 16);
    CHECK(us(run.records[1].first_ps) == 32);
  }
  SUBCASE("the queue waits behind its first") {
    const ServedRun run = served(small_engine(4), {{0, 12, 1}, {0, 8, 1}, {0, 1, 1}});
    CHECK(us(run.records[2].admitted_ps) == 22);
  }
}

TEST_CASE("the whole prompt finds room before it is admitted, where that is asked for") {
  EnginePlan plan = small_engine(4, 6);
  const std::vector<Asked> asked = {{0, 4, 2}, {0, 16, 1}};
  CHECK(us(served(plan, asked).records[1].admitted_ps) == 14 + 11);
  plan.limits.reserve_prompt = false;
  CHECK(us(served(plan, asked).records[1].admitted_ps) == 0);
}

TEST_CASE("the last that runs makes room, and is the first to come back") {
  EnginePlan plan = small_engine(4);
  plan.limits.max_requests = 2;
  std::vector<std::vector<std::uint32_t>> running;
  const ServedRun run = served_requests(plan, requests_of({{0, 4, 9}, {0, 4, 9}, {0, 4, 1}}),
                                        [&](const StepRecord&, const Replica& replica) {
                                          std::vector<std::uint32_t>& step = running.emplace_back();
                                          for (const Sequence& one : replica.batch_members())
                                            step.push_back(one.request);
                                        });
  CHECK(run.preemptions == 1);
  CHECK(run.records[0].preemptions == 0);
  CHECK(run.records[1].preemptions == 1);
  // The first alone has all blocks; then the second reads its prompt and its tokens again, and only then the third.
  CHECK(running[4] == std::vector<std::uint32_t>{0, 1});
  CHECK(running[5] == std::vector<std::uint32_t>{0});
  CHECK(running[9] == std::vector<std::uint32_t>{1, 2});
}

TEST_CASE("a preempted request finds its own blocks") {
  const auto recomputed = [](bool keeps) {
    EnginePlan plan = small_engine(5);
    plan.limits.prefix_cache = keeps;
    std::uint32_t most = 0;
    served_requests(plan, requests_of({{0, 4, 9}, {0, 4, 9}}), [&](const StepRecord& step, const Replica&) {
      if (step.begin_ps > 0) most = std::max(most, step.prompt_tokens);
    });
    return most;
  };
  CHECK(recomputed(false) == 9);
  // One token behind its prompt is left to read, like any that it makes.
  CHECK(recomputed(true) == 0);
}

TEST_CASE("a prompt that others have is read once") {
  EnginePlan plan = small_engine();
  plan.limits.prefix_cache = true;
  plan.limits.prefix_tokens = 8;
  const ServedRun run = served(plan, {{0, 16, 1, {0, 1}}, {100, 16, 1, {0, 1}}, {200, 16, 1, {0, 2}}});
  // At least the last token has to be read.
  CHECK(run.records[1].cached_tokens == 12);
  CHECK(run.records[2].cached_tokens == 8);
  CHECK(us(run.records[2].first_ps) == 200 + 10 + 8);
  CHECK(run.cached_tokens == 20);
}

TEST_CASE("caches go over the link one at a time, in the order of completion") {
  EnginePlan plan = small_engine();
  plan.disaggregation = Disaggregation{.kv_bytes_per_token = 1000, .link_gb_per_s = 1, .link_latency_us = 5};
  const ServedRun run = served(plan, {{0, 10, 2}, {0, 20, 2}, {0, 2, 1}});
  CHECK(us(run.records[0].first_ps) == 42);
  CHECK(us(run.records[1].first_ps) == 42);
  // 5 us and 1 us per token each, the second behind the first.
  CHECK(us(run.records[0].last_ps) == 42 + 15 + 11);
  CHECK(us(run.records[1].last_ps) == 42 + 15 + 25 + 11);
  // One token is made where the prompt is read.
  CHECK(run.records[2].last_ps == run.records[2].first_ps);
}

TEST_CASE("a closed loop keeps so many requests under way") {
  EnginePlan plan = small_engine();
  plan.closed = ClosedLoop{.concurrency = 2};
  const std::vector<Asked> asked(4, Asked{0, 10, 1});
  SUBCASE("together") {
    const ServedRun run = served(plan, asked);
    CHECK(run.records[1].arrival_ps == 0);
    CHECK(us(run.records[2].arrival_ps) == 30);
    CHECK(us(run.records[3].arrival_ps) == 30);
    CHECK(us(run.makespan_ps) == 60);
  }
  SUBCASE("spread over the latency of one") {
    plan.closed->start = LoopStart::spread;
    const ServedRun run = served(plan, asked);
    CHECK(us(run.records[1].arrival_ps) == 10);
    CHECK(us(run.records[2].arrival_ps) == 20);
  }
  SUBCASE("by chance, the same for one seed") {
    plan.closed->start = LoopStart::random;
    const ServedRun one = served(plan, asked), again = served(plan, asked);
    plan.closed->seed = 2;
    const ServedRun other = served(plan, asked);
    CHECK(one.records[1].arrival_ps == again.records[1].arrival_ps);
    CHECK(one.records[1].arrival_ps != other.records[1].arrival_ps);
    CHECK(one.records[0].arrival_ps <= one.records[1].arrival_ps);
    CHECK(us(one.records[1].arrival_ps) < 20);
  }
  SUBCASE("more than there are") {
    plan.closed->concurrency = 100;
    CHECK(us(served(plan, asked).makespan_ps) == 50);
  }
}

TEST_CASE("which replica a request goes to") {
  EnginePlan plan = small_engine();
  plan.replicas = 2;
  const auto replicas = [&](const std::vector<Asked>& asked) {
    std::vector<std::uint32_t> chosen;
    for (const RequestRecord& record : served(plan, asked).records) chosen.push_back(record.replica);
    return chosen;
  };
  // The first is long: the others come while it runs.
  const std::vector<Asked> asked = {{0, 60, 50}, {1, 4, 1}, {100, 4, 1}, {200, 4, 1}};
  CHECK(replicas(asked) == std::vector<std::uint32_t>{0, 1, 0, 1});
  plan.routing = Routing::least_loaded;
  CHECK(replicas(asked) == std::vector<std::uint32_t>{0, 1, 1, 1});
  CHECK(replicas({{0, 4, 1}, {0, 4, 1}, {0, 4, 1}}) == std::vector<std::uint32_t>{0, 1, 0});
}

TEST_CASE("replicas that share experts step together") {
  EnginePlan plan = small_engine();
  plan.replicas = 2;
  plan.experts_shared = true;
  const ServedRun run = served(plan, {{0, 30, 2}, {0, 10, 2}});
  // As long as the longest.
  CHECK(us(run.records[1].first_ps) == 40);
  CHECK(us(run.records[1].last_ps) == 51);
  CHECK(run.steps == 2);
}

TEST_CASE("a run that cannot go on says who waits for what") {
  EnginePlan plan = small_engine(5, 8);
  plan.limits.chunked_prefill = false;
  // The second is preempted with 9 tokens, which no step can hold.
  const auto run = serve(plan, requests_of({{0, 6, 7}, {0, 6, 7}}), LinearCost(kSmallStep));
  REQUIRE_FALSE(run.ok());
  CHECK(run.error().message.find("request 'r1' waits for a step that holds its 9 tokens, and a step has at most 8") !=
        std::string::npos);
}
