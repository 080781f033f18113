// Steps by profiled times of a layer.
#include "llm/engine/table_cost.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace orrery;
using namespace orrery::llm;

namespace {

CsvTable times_in(const std::string& text) {
  auto table = parse_csv(text, "times.csv");
  REQUIRE(table.ok());
  return std::move(*table);
}

/// Products of 10 us for one token and 110 for 101; nothing per sequence; attention as given.
CostTables tables_with(const std::string& attention) {
  return {.dense = times_in("op,tokens,time_us\nqkv_proj,1,10\nqkv_proj,101,110\n"),
          .per_sequence = times_in("op,sequences,time_us\nsampler,1,0\n"),
          .attention = times_in("prefill_tokens,prefill_context,decodes,decode_context,time_us\n" + attention)};
}

std::unique_ptr<StepCost> cost_of(const CostTables& tables, const TableCostFields& fields = {}) {
  auto cost = table_cost(tables, fields);
  REQUIRE_MESSAGE(cost.ok(), (cost ? "" : cost.error().to_string()));
  return std::move(*cost);
}

double step_us(const StepCost& cost, const Batch& batch) { return to_us(cost.price(batch).step_ps); }

Batch prompts(std::vector<PromptPiece> pieces) {
  Batch batch{.sampled = 1, .pieces = std::move(pieces)};
  for (const PromptPiece& piece : batch.pieces) batch.tokens += piece.tokens;
  return batch;
}
Batch decodes(std::vector<std::uint32_t> contexts) {
  Batch batch;
  batch.tokens = batch.sampled = batch.decodes = static_cast<std::uint32_t>(contexts.size());
  for (const std::uint32_t context : contexts) {
    batch.context_sum += context;
    batch.longest_context = std::max(batch.longest_context, context);
  }
  return batch;
}

std::string refusal_of_times(const CostTables& tables) {
  const auto cost = table_cost(tables, {});
  return cost ? "" : cost.error().message;
}

constexpr const char* kNoAttention = "0,0,0,0,0\n";

}  // namespace

TEST_CASE("products are linear between points, and at the ends stay what they are") {
  const auto cost = cost_of(tables_with(kNoAttention), {.layers = 2});
  CHECK(step_us(*cost, prompts({{51, 0}})) == doctest::Approx(2 * 60));
  CHECK(step_us(*cost, prompts({{1, 0}})) == doctest::Approx(2 * 10));
  CHECK(step_us(*cost, prompts({{101, 0}})) == doctest::Approx(2 * 110));
  CHECK(step_us(*cost, prompts({{5000, 0}})) == doctest::Approx(2 * 110));
  // What one token takes does not depend on tokens.
  CHECK(to_us(cost->price(prompts({{51, 0}})).fixed_ps) == doctest::Approx(2 * 10));
}

TEST_CASE("operations as often as a layer has them, and once per step") {
  CostTables tables = tables_with(kNoAttention);
  tables.dense = times_in("op,tokens,time_us\nqkv_proj,1,10\nlayernorm,1,3\nembedding,1,7\nunheard_of,1,1000\n");
  tables.per_sequence = times_in("op,sequences,time_us\nlm_head,1,20\nlm_head,3,40\nsampler,1,5\n");
  Batch batch = prompts({{1, 0}});
  const auto cost = cost_of(tables, {.layers = 4});
  CHECK(step_us(*cost, batch) == doctest::Approx(4 * (10 + 2 * 3) + 7 + 20 + 5));
  batch.sampled = 2;
  CHECK(step_us(*cost, batch) == doctest::Approx(4 * (10 + 2 * 3) + 7 + 30 + 5));
  // Where nobody gets a token the head is run for one nevertheless.
  batch.sampled = 0;
  CHECK(step_us(*cost, batch) == doctest::Approx(4 * (10 + 2 * 3) + 7 + 20 + 5));
}

TEST_CASE("attention on a ragged grid: each point has its own points of the next axis") {
  // Pieces of 100 were timed behind 0 and 400, pieces of 200 behind 0 and 100 only.
  const auto cost = cost_of(tables_with("100,0,0,0,10\n100,400,0,0,50\n200,0,0,0,30\n200,100,0,0,50\n"));
  const auto attention = [&](std::uint32_t tokens, std::uint32_t before) {
    return step_us(*cost, prompts({{tokens, before}})) - std::min(tokens + 9.0, 110.0);
  };
  CHECK(attention(100, 0) == doctest::Approx(10));
  CHECK(attention(100, 100) == doctest::Approx(20));
  CHECK(attention(200, 100) == doctest::Approx(50));
  CHECK(attention(200, 300) == doctest::Approx(50));
  CHECK(attention(150, 100) == doctest::Approx(35));
  CHECK(attention(50, 200) == doctest::Approx(30));
  CHECK(attention(300, 50) == doctest::Approx(40));
}

TEST_CASE("decodes at their mean context, and a little of the longest") {
  const std::string attention = "0,0,0,0,0\n0,0,1,0,1\n0,0,1,1000,11\n0,0,2,0,2\n0,0,2,1000,22\n";
  const auto of = [&](double skew, const std::vector<std::uint32_t>& contexts) {
    const auto cost = cost_of(tables_with(attention), {.skew = skew});
    return step_us(*cost, decodes(contexts)) - (contexts.size() == 1 ? 10 : 11);
  };
  CHECK(of(0, {100, 300}) == doctest::Approx(2 + 20 * 0.2));
  CHECK(of(1, {100, 300}) == doctest::Approx(2 + 20 * 0.3));
  CHECK(of(0.5, {100, 300}) == doctest::Approx(2 + 20 * 0.25));
  // One alone has no longest.
  CHECK(of(1, {500}) == doctest::Approx(6));
}

TEST_CASE("several pieces are several kernels, and decodes one more") {
  const auto cost = cost_of(tables_with("0,0,0,0,0\n0,0,1,0,4\n100,0,0,0,10\n100,0,1,0,12\n"));
  Batch batch = prompts({{100, 0}, {100, 0}});
  CHECK(step_us(*cost, batch) == doctest::Approx(110 + 20));
  batch.decodes = 1;
  CHECK(step_us(*cost, batch) == doctest::Approx(110 + 20 + 4));
  // One piece and decodes are one.
  batch.pieces.resize(1);
  CHECK(step_us(*cost, batch) == doctest::Approx(110 + 12));
}

TEST_CASE("ranks of a tensor exchange twice per layer, in rings") {
  const TableCostFields fields = {
      .layers = 3, .tensor = 4, .width = 1000, .link = CostLink{.latency_us = 2, .gb_per_s = 1}};
  const auto cost = cost_of(tables_with(kNoAttention), fields);
  const double exchange = 2 + 2 * 0.75 * 101 * 1000 * 2 / 1e3;
  CHECK(step_us(*cost, prompts({{101, 0}})) == doctest::Approx(3 * 110 + 3 * 2 * exchange));
}

TEST_CASE("experts that all share") {
  CostTables tables = tables_with(kNoAttention);
  tables.moe = times_in("tokens,activated_experts,time_us\n1,8,10\n1,16,20\n101,8,110\n101,16,120\n");
  const TableCostFields fields = {.layers = 2,
                                  .width = 1000,
                                  .link = CostLink{.latency_us = 2, .gb_per_s = 1},
                                  .experts = SharedExperts{.count = 32, .top_k = 2, .ranks = 2}};
  const auto cost = cost_of(tables, fields);
  // 102 tokens of both are 51 per rank; each picks 1 of a rank's 16 experts, nearly all of which are chosen.
  const double activated = 16 * (1 - std::exp(-102.0 / 16)), moe = 60 + 10 * (activated - 8) / 8;
  const double exchange = 2 + 80 * 1000 * 2 / 1e3;
  CHECK(to_us(cost->shared_experts_ps(102, 80)) == doctest::Approx(2 * (moe + 2 * exchange)));
  CHECK(cost_of(tables_with(kNoAttention))->shared_experts_ps(102, 80) == 0);
}

TEST_CASE("what is wrong with profiled times is told with its line and column") {
  CostTables tables = tables_with(kNoAttention);
  tables.dense = times_in("op,tokens\nqkv_proj,1\n");
  CHECK(refusal_of_times(tables) == "line 1: the table has no column 'time_us'");
  tables.dense = times_in("op,tokens,time_us\nqkv_proj,1,10\nqkv_proj,2,fast\n");
  CHECK(refusal_of_times(tables) == "line 3, column 'time_us': must be a number of at least 0, found 'fast'");
  tables.dense = times_in("op,tokens,time_us\nqkv_proj,1,10\no_proj,1,10\nqkv_proj,1,11\n");
  CHECK(refusal_of_times(tables) == "line 4, column 'tokens': is a point that is there twice");
  tables.dense = times_in("op,tokens,time_us\nwish,1,10\n");
  CHECK(refusal_of_times(tables) == "none of the operations is known");
  tables = tables_with("");
  CHECK(refusal_of_times(tables) == "the table has no times");
}
