// What-if on a run of a serving engine: what is understood, what becomes of the run, and where a misunderstanding is
// pointed at.
#include "analyze/whatif/serving_edits.h"

#include <doctest/doctest.h>

#include <sstream>

#include "analyze/forecast/request_tail.h"
#include "analyze/whatif/serving_whatif.h"
#include "support/temp_dir.h"

using namespace orrery;
using namespace orrery::analyze;

namespace {

using Words = ServingQuantity;

ServingEdit understood(const std::string& text) {
  auto parsed = parse_serving_edit(text);
  if (const auto* error = std::get_if<EditError>(&parsed))
    FAIL("\"", text, "\": ", error->message, " at ", error->position);
  return std::get<ServingEdit>(std::move(parsed));
}

EditError misunderstood(const std::string& text) {
  auto parsed = parse_serving_edit(text);
  if (!std::holds_alternative<EditError>(parsed)) FAIL("\"", text, "\" was understood");
  return std::get<EditError>(std::move(parsed));
}

/// Two replicas, and a request per millisecond of 100 tokens that makes 10.
EditedServing small_serving() {
  EditedServing serving{{.limits = {.kv_blocks = 1000, .max_requests = 16, .max_batch_tokens = 512}, .replicas = 2},
                        {}};
  for (int i = 0; i < 50; ++i) serving.requests.add("r" + std::to_string(i), (5 + i) * kPsPerMs, 100, 10);
  return serving;
}

EditedServing edited(std::initializer_list<const char*> edits, EditedServing serving = small_serving()) {
  for (const char* text : edits) {
    const Status good = apply(understood(text), serving);
    REQUIRE_MESSAGE(good.ok(), (good ? "" : good.error().to_string()));
  }
  return serving;
}

std::string refusal_of_edit(const char* text, EditedServing serving = small_serving()) {
  const Status good = apply(understood(text), serving);
  return good ? "" : good.error().message;
}

const llm::LinearCost& small_cost() {
  static const llm::LinearCost cost({.step_us = 500, .token_us = 5});
  return cost;
}

Result<ServingWhatIf> what_if_of(std::initializer_list<const char*> texts, const std::vector<double>& factors = {}) {
  const EditedServing serving = small_serving();
  std::vector<ServingEdit> edits;
  for (const char* text : texts) edits.push_back(understood(text));
  llm::ServingPlan plan;
  plan.engine = serving.engine;
  return what_if(plan, serving.requests, {small_cost()}, {}, edits, factors);
}

}  // namespace

TEST_CASE("words of a serving edit, and what configurations call the same") {
  CHECK(understood("prompts * 0.5").what == Words::prompts);
  CHECK(understood("  generate=7").what == Words::tokens);
  CHECK(understood("kv_blocks + 3").what == Words::blocks);
  CHECK(understood("max_batch_tokens - 3").amount == -3);
  CHECK(understood("steps + 1.5 ms").amount == 1.5e9);
  CHECK(understood("prefix cache off").what == Words::prefix_cache);
  CHECK(understood("chunked_prefill on").amount == 1);
  const ServingEdit failure = understood("replica 1 fails at 10 s");
  CHECK(failure.replica == 1);
  CHECK(failure.at_ps == 10 * kPsPerSecond);
  CHECK(understood("replica:3 fails at 0").replica == 3);
}

TEST_CASE("a serving edit that is not understood is pointed at") {
  const auto refused = [](const char* text, std::size_t position, const std::string& message) {
    const EditError error = misunderstood(text);
    CAPTURE(text);
    CHECK(error.message == message);
    CHECK(error.position == position);
  };
  refused("promts * 2", 0, "unknown word \"promts\"");
  CHECK(misunderstood("promts * 2").hint.starts_with("did you mean \"prompts\"? one of: prompts, tokens, "));
  refused("", 0, "expected what to change");
  refused("kernel * 2", 0, "unknown word \"kernel\"");
  refused("prefix of 2", 7, "expected \"cache\"");
  refused("prefix cache 2", 13, "expected on or off");
  refused("blocks", 6, "expected an action at the end");
  refused("blocks 2", 7, "expected an action");
  refused("blocks * -2", 9, "a negative number makes no sense here");
  refused("blocks * 2 ms", 11, "nothing may follow the action");
  refused("steps + 5", 9, "expected a unit");
  refused("replica fails at 3s", 8, "expected the number of a replica");
  refused("replica 1 breaks", 10, "expected \"fails\"");
  refused("replica 1 fails 3s", 16, "expected \"at\"");
}

TEST_CASE("the serving edits of docs/WHATIF.md are understood") {
  std::istringstream document(orrery::testing::read_file(std::string(ORRERY_SOURCE_DIR) + "/docs/WHATIF.md"));
  int examples = 0;
  bool inside = false;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("```")) {
      inside = line == "```serving-edits";
    } else if (inside) {
      understood(line.substr(0, line.find("   ")));
      ++examples;
    }
  }
  CHECK(examples >= 13);
}

TEST_CASE("what edits change") {
  CHECK(edited({"prompts * 0.25", "prompts + 1"}).requests.prompt[3] == 26);
  CHECK(edited({"prompts * 0"}).requests.prompt[3] == 1);
  CHECK(edited({"tokens = 3"}).requests.generate[3] == 3);
  CHECK(*edited({"rate * 2"}).requests.natural_rate() == doctest::Approx(2000));
  CHECK(*edited({"rate = 7"}).requests.natural_rate() == doctest::Approx(7));
  CHECK(edited({"rate = 7"}).requests.arrival_ps[0] == 5 * kPsPerMs);
  CHECK(edited({"blocks * 2"}).engine.limits.kv_blocks == 2000);
  CHECK(edited({"seats - 6"}).engine.limits.max_requests == 10);
  CHECK(edited({"budget = 64"}).engine.limits.max_batch_tokens == 64);
  CHECK(edited({"replicas + 1"}).engine.replicas == 3);
  CHECK_FALSE(edited({"prefix cache off"}).engine.limits.prefix_cache);
  CHECK_FALSE(edited({"chunked prefill off"}).engine.limits.chunked_prefill);
  CHECK_FALSE(edited({"reserve prompt off"}).engine.limits.reserve_prompt);
  // From the first arrival on.
  CHECK(edited({"replica 1 fails at 3ms"}).engine.failure->at_ps == 8 * kPsPerMs);
  EditedServing split = small_serving();
  split.engine.disaggregation = llm::Disaggregation{.prefill = 2};
  CHECK(edited({"prefill * 2", "decode + 2"}, split).engine.disaggregation->prefill == 4);
  EditedServing loop = small_serving();
  loop.engine.closed = llm::ClosedLoop{.concurrency = 8};
  CHECK(edited({"concurrency * 2"}, loop).engine.closed->concurrency == 16);
}

TEST_CASE("what there is not cannot be edited") {
  EditedServing split = small_serving(), loop = small_serving(), pieces = small_serving();
  split.engine.disaggregation = llm::Disaggregation{};
  loop.engine.closed = llm::ClosedLoop{};
  pieces.requests.pieces = {1};
  CHECK(refusal_of_edit("replicas * 2", split) == "'replicas * 2': prompts and tokens have replicas of their own");
  CHECK(refusal_of_edit("prefill * 2") == "'prefill * 2': replicas do both, prompts and tokens");
  CHECK(refusal_of_edit("rate * 2", loop).find("a closed loop has no rate") != std::string::npos);
  CHECK(refusal_of_edit("concurrency * 2").find("arrive by themselves") != std::string::npos);
  CHECK(refusal_of_edit("rate * 0").find("would never arrive") != std::string::npos);
  CHECK(refusal_of_edit("blocks * 0") ==
        "'blocks * 0': blocks would be 0, and must be at least 1 and at most 2147483647");
  CHECK(refusal_of_edit("prompts * 1e9").find("may have at most 16777216") != std::string::npos);
  CHECK(refusal_of_edit("prefix cache on", pieces).find("column 'prefix'") != std::string::npos);
  CHECK(refusal_of_edit("replica 1 fails at 1s", edited({"replica 0 fails at 1s"})).find("fails already") !=
        std::string::npos);
}

TEST_CASE("steps take what edits make of them, in their order") {
  const llm::Batch batch{.tokens = 100, .sampled = 1, .pieces = {{100, 0}}};
  const auto price = [&](std::initializer_list<const char*> edits) {
    const std::vector<ServingEdit> steps = edited(edits).steps;
    return EditedCost(small_cost(), steps).price(batch);
  };
  CHECK(to_us(price({}).step_ps) == 1000);
  CHECK(to_us(price({"steps * 0.8"}).step_ps) == 800);
  CHECK(to_us(price({"steps * 0.8"}).fixed_ps) == 400);
  CHECK(to_us(price({"steps * 0.5", "steps + 100us"}).step_ps) == 600);
  CHECK(to_us(price({"steps = 3ms"}).step_ps) == 3000);
  CHECK(to_us(price({"steps - 9ms"}).step_ps) == 0);
}

TEST_CASE("all edits together, and each alone") {
  const auto one = what_if_of({"steps * 0.5"});
  REQUIRE(one.ok());
  CHECK(one->alone.empty());
  CHECK(one->after.of(RequestMetric::ttft).mean_ms < one->before.of(RequestMetric::ttft).mean_ms);
  const auto both = what_if_of({"steps * 0.5", "prompts * 0.5"}, {1, 0.5});
  REQUIRE(both.ok());
  REQUIRE(both->alone.size() == 2);
  CHECK(both->alone[0].summary->of(RequestMetric::ttft).p99_ms == one->after.of(RequestMetric::ttft).p99_ms);
  CHECK(both->sweep[0].summary.of(RequestMetric::ttft).p99_ms == both->before.of(RequestMetric::ttft).p99_ms);
  CHECK(both->sweep[1].summary.of(RequestMetric::ttft).p99_ms == both->after.of(RequestMetric::ttft).p99_ms);
  CHECK(serving_edits_sheet(*both, {}).rows() == 2);
}

TEST_CASE("a change has an interval where steps have one") {
  const EditedServing serving = small_serving();
  llm::ServingPlan plan;
  plan.engine = serving.engine;
  const llm::LinearCost low({.step_us = 400, .token_us = 5}), high({.step_us = 700, .token_us = 5});
  const auto result =
      what_if(plan, serving.requests, {small_cost(), &low, &high}, {}, {understood("prompts * 0.5")}, {});
  REQUIRE(result.ok());
  CHECK(result->by_steps.size() == 2);
  CHECK(result->by_arrivals.empty());
  const report::Sheet sheet = serving_change_sheet(*result, {});
  for (std::size_t row = 0; row < sheet.rows(); ++row) {
    const double change = sheet.number(sheet.find("change"), row);
    CHECK(sheet.number(sheet.find("change_low"), row) <= change);
    CHECK(sheet.number(sheet.find("change_high"), row) >= change);
  }
  CHECK(sheet.number(sheet.find("change_low"), 0) < sheet.number(sheet.find("change_high"), 0));
}

TEST_CASE("replicas that share experts have prices and a cache by their number") {
  EditedServing serving = small_serving();
  llm::ServingPlan plan;
  plan.engine = serving.engine;
  plan.engine.experts_shared = true;
  const llm::LinearCost dear({.step_us = 5000, .token_us = 50});
  std::vector<double> asked;
  const auto price = [&](double replicas) -> Result<ShapeCost> {
    asked.push_back(replicas);
    if (replicas == 3) return Error{"3 do not divide the experts"};
    return ShapeCost{.replicas = replicas, .costs = llm::CostRange{dear}, .kv_blocks = 8};
  };
  const auto changed = [&](std::initializer_list<const char*> texts, const std::vector<double>& factors = {}) {
    std::vector<ServingEdit> edits;
    for (const char* text : texts) edits.push_back(understood(text));
    return what_if(plan, serving.requests, {small_cost()}, price, edits, factors);
  };
  const auto more = changed({"replicas = 4"});
  REQUIRE(more.ok());
  CHECK(asked == std::vector<double>{4});
  llm::ServingPlan four = plan;
  four.engine.replicas = 4;
  four.engine.limits.kv_blocks = 8;
  const auto run = llm::serve(four.engine, serving.requests, dear);
  REQUIRE(run.ok());
  CHECK(more->after.makespan_s == summarise(*run, serving.requests, {}).makespan_s);
  CHECK(more->before.makespan_s < more->after.makespan_s);

  // Blocks are edited on top of what the ranks leave, wherever the edit stands.
  const auto first = changed({"blocks * 2", "replicas = 4"}), last = changed({"replicas = 4", "blocks * 2"});
  CHECK(first->after.makespan_s == last->after.makespan_s);
  CHECK(first->after.makespan_s < more->after.makespan_s);

  asked.clear();
  const auto apart = changed({"replicas * 1.5", "prompts * 0.5"}, {2});
  CHECK(!apart.ok());
  const auto none = changed({"replicas = 2"}, {});
  CHECK(asked == std::vector<double>{3, 3, 4});
  CHECK(none->after.makespan_s == none->before.makespan_s);
}

TEST_CASE("the stages of a step change with it") {
  class Staged : public llm::StepCost {
   public:
    [[nodiscard]] llm::StepPrice price(const llm::Batch&) const override { return {400, 100}; }
    void price_stages(const llm::Batch&, llm::StagedStep& step) const override { step = {{100, 200}, 100, 100}; }
  };
  const Staged cost;
  const std::vector<ServingEdit> steps = edited({"steps * 0.5"}).steps;
  llm::StagedStep step;
  EditedCost(cost, steps).price_stages({}, step);
  CHECK(step.stages_ps == std::vector<TimePs>{50, 100});
  CHECK(step.send_ps == 50);
  CHECK(step.fixed_ps == 50);
}

TEST_CASE("requests that cannot be served any more are named") {
  const auto refused = what_if_of({"blocks = 6"});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message == "request 'r0': prompt and tokens are 109 together, and the whole cache holds 96");
  // By itself one edit may be impossible, which says nothing about all of them.
  const auto both = what_if_of({"blocks = 6", "prompts * 0.5"});
  REQUIRE(both.ok());
  CHECK_FALSE(both->alone[0].summary);
  CHECK(both->alone[0].impossible == refused.error().message);
  CHECK(both->alone[1].summary);
}

TEST_CASE("a replica that fails costs time, and one that fails too late is told") {
  const auto early = what_if_of({"replica 0 fails at 20 ms"});
  REQUIRE(early.ok());
  CHECK(early->after.of(RequestMetric::latency).p99_ms > early->before.of(RequestMetric::latency).p99_ms);
  CHECK_FALSE(early->missed);
  const auto late = what_if_of({"replica 0 fails at 20 s"});
  REQUIRE(late.ok());
  CHECK(*late->missed == "replica 0 fails at 20 s");
  CHECK(what_if_of({"replica 2 fails at 1s"}).error().message == "replica 2 fails, and there are 0 to 1");
}

TEST_CASE("the slowest first tokens name whose prompt they waited for, each of them once") {
  EditedServing serving = small_serving();
  serving.engine.replicas = 1;
  serving.requests.prompt[20] = 4000;
  const auto run = llm::serve(serving.engine, serving.requests, small_cost());
  REQUIRE(run.ok());
  const auto tail = blame_tail(serving.engine, serving.requests, small_cost(), *run, 0.9);
  REQUIRE(tail.ok());
  CHECK(tail->sentence.find("longest for the prompt of r20 (4,000 tokens)") != std::string::npos);
  const report::Sheet& others = tail->others;
  CHECK(others.text(others.find("id"), 0) == "r20");
  for (std::size_t row = 0; row < others.rows(); ++row) CHECK(others.integer(others.find("held"), row) <= 5);
  // What the tail went to is all of it.
  double share = 0;
  for (std::size_t row = 0; row < tail->parts.rows(); ++row)
    share += tail->parts.number(tail->parts.find("share"), row);
  CHECK(share == doctest::Approx(100));
}
