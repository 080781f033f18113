#include <doctest/doctest.h>

#include <cmath>
#include <utility>

#include "analyze/forecast/inference_forecasts.h"
#include "job/shipped/llm_config.h"
#include "llm/serving/serving.h"

using namespace orrery;
using namespace orrery::analyze;

namespace {

const llm::Catalog& catalog() {
  static const llm::Catalog read = [] {
    auto all = llm::read_catalog(std::string(ORRERY_SOURCE_DIR) + "/data");
    REQUIRE(all.ok());
    return std::move(*all);
  }();
  return read;
}

job::LlmConfig config_of(const std::string& rest) {
  const std::string file = std::string(ORRERY_SOURCE_DIR) + "/data/llm/test.yml";
  const std::string machine = std::string(ORRERY_SOURCE_DIR) + "/data/machines/dgx_h100.yaml";
  auto config =
      job::parse_llm_config("format: orrery.llm/1\nname: test\nmachine: " + machine + "\n" + rest, file, catalog());
  REQUIRE_MESSAGE(config.ok(), (config ? "" : config.error().to_string()));
  return std::move(*config);
}

InferenceForecast served(const std::string& rest) {
  const job::LlmConfig config = config_of("model: llama_2_7b\n" + rest);
  Diagnostics diagnostics;
  auto forecast = forecast_inference(
      {catalog(), *config.inference, config.device, config.machine, config.network, config.memory}, diagnostics);
  REQUIRE_MESSAGE(forecast.ok(), (forecast ? "" : forecast.error().to_string()));
  return std::move(*forecast);
}

MatrixForecast multiplied(const std::string& gemm) {
  const job::LlmConfig config = config_of("gemm: " + gemm + "\n");
  Diagnostics diagnostics;
  auto forecast = forecast_matrix({*config.product, config.device, config.machine, config.network}, diagnostics);
  REQUIRE(forecast.ok());
  return std::move(*forecast);
}

double seconds(TimePs time) { return static_cast<double>(time) * 1e-12; }

}  // namespace

TEST_CASE("one device: the request takes what the closed form says, so that its measured error is this one's") {
  const InferenceForecast one =
      served("devices: 1\ninference: {batch: 1, prompt: 200, generate: 200, precision: fp16}\n");
  const job::LlmConfig config =
      config_of("model: llama_2_7b\ndevices: 1\ninference: {batch: 1, prompt: 200, generate: 200}\n");
  const llm::Architecture& model = config.inference->shape.model;
  const double first = llm::prompt_seconds(config.device, catalog().serving, model, {}, 200);
  const double token = llm::token_seconds(config.device, catalog().serving, model, {}, 300);
  CHECK(seconds(one.first_token_ps) == doctest::Approx(first).epsilon(1e-6));
  CHECK(seconds(one.token_ps) == doctest::Approx(token).epsilon(1e-6));
  CHECK(seconds(one.latency_ps) == doctest::Approx(first + 199 * token).epsilon(1e-6));
  CHECK(one.token_error_pct < 1e-6);  // times grow on a straight line
  CHECK(one.fits());
  CHECK(one.prefill[0].exposed_sum() == 0);
}

TEST_CASE("continuous batching on one device: the closed form of published rows") {
  const InferenceForecast many =
      served("devices: 1\ninference: {batch: 16, prompt: 500, generate: 100, batching: continuous}\n");
  const job::LlmConfig config =
      config_of("model: llama_2_7b\ndevices: 1\ninference: {batch: 1, prompt: 500, generate: 100}\n");
  const llm::Architecture& model = config.inference->shape.model;
  const llm::ServingConstants& c = catalog().serving;
  const double first = llm::prompt_seconds(config.device, c, model, {}, 500);
  const double token = llm::token_seconds(config.device, c, model, {.batch = 16}, 550) + 15 * first / 100;
  const double waited = first * (1 + 15 * c.queued_prefill_share);
  CHECK(seconds(many.token_ps) == doctest::Approx(token).epsilon(1e-5));
  CHECK(seconds(many.first_token_ps) == doctest::Approx(waited).epsilon(1e-5));
  CHECK(many.all_tokens_per_s == doctest::Approx(16 * 100 / (waited + 100 * token)).epsilon(1e-5));
}

TEST_CASE("times have an interval where such were published, and say of what kind") {
  const InferenceForecast loop =
      served("devices: 1\ninference: {batch: 4, prompt: 100, generate: 20, batching: continuous}\n");
  for (const auto& [interval, time] :
       {std::pair(&loop.first_token_interval, loop.first_token_ps), std::pair(&loop.token_interval, loop.token_ps),
        std::pair(&loop.latency_interval, loop.latency_ps)}) {
    REQUIRE(*interval);
    CHECK((*interval)->low_ps < time);
    CHECK((*interval)->high_ps > time);
  }
  CHECK(loop.latency_interval->basis == "continuous latency, 17 published");
  const InferenceForecast together = served("devices: 1\ninference: {batch: 4, prompt: 100, generate: 20}\n");
  CHECK(together.latency_interval->basis.starts_with("serving e2e_latency"));
  CHECK_FALSE(together.token_interval);
  const InferenceForecast eager =
      served("devices: 1\ninference: {batch: 4, prompt: 100, generate: 20, stack: pytorch_eager}\n");
  CHECK(eager.first_token_interval->basis.starts_with("eager prefill"));
  // Pipelines of requests were not published.
  const InferenceForecast stages = served(
      "devices: 4\ninference: {batch: 4, prompt: 100, generate: 20, batching: continuous}\n"
      "parallelism: {pipeline: 4}\n");
  CHECK_FALSE(stages.latency_interval);
}

TEST_CASE("tensor parallelism is faster, and its sums are communication that nothing hides") {
  const InferenceForecast one = served("devices: 1\ninference: {batch: 4, prompt: 1000, generate: 50}\n");
  const InferenceForecast eight =
      served("inference: {batch: 4, prompt: 1000, generate: 50}\nparallelism: {tensor: 8}\n");
  CHECK(eight.first_token_ps < one.first_token_ps);
  CHECK(eight.token_ps < one.token_ps);
  const auto tensor = static_cast<std::size_t>(llm::ParallelAxis::tensor);
  CHECK(eight.decode[0].exposed_ps[tensor] > 0);
  CHECK(eight.decode[0].exposed_sum() == eight.decode[0].exposed_ps[tensor]);
  CHECK(eight.decode[0].compute_ps + eight.decode[0].exposed_sum() + eight.decode[0].bubble_ps == eight.decode_ps);
  CHECK(eight.memory[0].weights == doctest::Approx(one.memory[0].weights / 8));
}

TEST_CASE("replicas do not disturb one another") {
  const InferenceForecast one = served("devices: 1\ninference: {batch: 2, prompt: 300, generate: 20}\n");
  const InferenceForecast four = served("devices: 4\ninference: {batch: 8, prompt: 300, generate: 20}\n");
  CHECK(four.token_ps == one.token_ps);
  CHECK(four.all_tokens_per_s == doctest::Approx(4 * one.all_tokens_per_s));
}

TEST_CASE("a pipeline is no faster for one request, and busier with as many parts as stages") {
  const InferenceForecast one = served("devices: 1\ninference: {batch: 64, prompt: 100, generate: 20}\n");
  const InferenceForecast alone =
      served("devices: 4\ninference: {batch: 64, prompt: 100, generate: 20}\nparallelism: {pipeline: 4}\n");
  const InferenceForecast parts = served(
      "devices: 4\ninference: {batch: 64, prompt: 100, generate: 20, micro_batches: 4}\nparallelism: {pipeline: 4}\n");
  CHECK(alone.token_ps >= one.token_ps);
  CHECK(parts.first_token_ps < alone.first_token_ps);
  double waits_alone = 0, waits_parts = 0;
  for (std::size_t stage = 0; stage < 4; ++stage) {
    waits_alone += static_cast<double>(alone.decode[stage].bubble_ps) / static_cast<double>(alone.decode_ps);
    waits_parts += static_cast<double>(parts.decode[stage].bubble_ps) / static_cast<double>(parts.decode_ps);
  }
  CHECK(waits_alone > 2.9);  // three of four stages wait at any time
  CHECK(waits_parts < 0.5);
}

TEST_CASE("more requests at once: more tokens in all, fewer for each") {
  double each = INFINITY, all = 0;
  for (const char* batch : {"1", "8", "64"}) {
    const InferenceForecast one =
        served("devices: 1\ninference: {batch: " + std::string(batch) + ", prompt: 100, generate: 100}\n");
    CHECK(one.tokens_per_s < each);
    CHECK(one.all_tokens_per_s > all);
    each = one.tokens_per_s;
    all = one.all_tokens_per_s;
  }
}

TEST_CASE("as many requests fit as are said to, and one more does not") {
  const auto fits = [](double requests) {
    return served("devices: 1\ninference: {batch: " + std::to_string(static_cast<int>(requests)) +
                  ", prompt: 10, generate: 4000, positions: 1}\n");
  };
  // What prefill needs grows with the batch, too: so ask again until the answer is its own.
  double most = fits(1).most_requests;
  for (int i = 0; i < 20 && fits(most).most_requests < most; ++i) most = fits(most).most_requests;
  CHECK(fits(most).fits());
  CHECK_FALSE(fits(most + 2).fits());
}

TEST_CASE("a product in panels hides communication; it never beats the peak") {
  const MatrixForecast whole = multiplied("{m: 16384, n: 16384, k: 16384, layout: k_parallel, columns: 8}");
  const MatrixForecast panels = multiplied("{m: 16384, n: 16384, k: 16384, layout: k_parallel, columns: 8, panels: 4}");
  CHECK(panels.time_ps < whole.time_ps);
  CHECK(panels.times.exposed_sum() < whole.times.exposed_sum());
  CHECK(panels.efficiency_pct < 100);
  CHECK(whole.times.compute_ps + whole.times.exposed_sum() == whole.time_ps);
  const MatrixForecast everywhere =
      multiplied("{m: 16384, n: 16384, k: 16384, layout: k_parallel, columns: 8, sum: all_reduce}");
  CHECK(everywhere.time_ps > whole.time_ps);
  const MatrixForecast grid =
      multiplied("{m: 16384, n: 16384, k: 16384, layout: row_column, rows: 2, columns: 4, panels: 8}");
  CHECK(grid.times.exposed_ps[0] + grid.times.exposed_ps[1] == grid.times.exposed_sum());
  CHECK(grid.efficiency_pct > 50);
}
