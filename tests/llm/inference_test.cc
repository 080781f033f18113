#include <doctest/doctest.h>

#include <map>

#include "llm/architecture.h"
#include "llm/closed_forms/eager_step.h"
#include "llm/serving/inference_plan.h"
#include "llm/serving/inference_source.h"
#include "llm/serving/inference_times.h"
#include "llm/serving/serving.h"
#include "llm/shipped.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

Architecture served_model(std::string_view name) {
  for (const Architecture& one : shipped().architectures) {
    if (normalised_name(one.name) == normalised_name(name)) {
      Architecture model = one;
      model.prediction_layers = 0;
      return model;
    }
  }
  FAIL("no such model");
  return {};
}

InferencePlan served(std::string_view model, ParallelJob job = {}) {
  return {.shape = {.model = served_model(model), .job = job}, .batch = 1, .prompt = 200, .generate = 200};
}

double whole(const InferencePlan& plan, const VisitTimes& times) {
  double sum = times.embedding + times.head;
  for (std::uint32_t layer = 0; layer < plan.shape.layers(); ++layer) {
    const LayerVisit& of = plan.shape.has_experts(layer) ? times.with_experts : times.dense;
    sum += of.attention + of.mlp + of.experts;
  }
  return sum;
}

std::string broken_field(const InferencePlan& plan) {
  const auto found = find_inference_violation(plan);
  return found ? found->field : "";
}

}  // namespace

TEST_CASE("on one device the serving stack takes what its closed form says") {
  for (const char* name : {"Llama 2 7B", "Llama 3 70B", "GPT-3 175B"}) {
    const InferencePlan plan = served(name);
    for (const char* device_name : {"a100_80", "h100"}) {
      const machine::Device& device = shipped_device(device_name);
      for (const double context : {1.0, 300.0, 20000.0}) {
        const Visit token{.requests = 1, .context = context},
            prompt{.is_prefill = true, .requests = 1, .context = context};
        CHECK(alike(whole(plan, visit_times(shipped(), device, plan, token)),
                    token_seconds(device, shipped().serving, plan.shape.model, {}, context)));
        CHECK(alike(whole(plan, visit_times(shipped(), device, plan, prompt)),
                    prompt_seconds(device, shipped().serving, plan.shape.model, {}, context)));
      }
      // With many requests layers may wait for memory and the head for the matrix units: the head's share apart at
      // most.
      const double many = whole(plan, visit_times(shipped(), device, plan, {.requests = 256, .context = 2000}));
      const double closed = token_seconds(device, shipped().serving, plan.shape.model, {.batch = 256}, 2000);
      CHECK(many >= closed * (1 - 1e-9));
      CHECK(many <= closed * 1.02);
    }
  }
}

TEST_CASE("eager PyTorch takes what its closed forms say") {
  for (const char* name : {"Llama 3 8B", "GPT-3 175B"}) {
    InferencePlan plan = served(name);
    plan.stack = ServingStack::pytorch_eager;
    const Architecture& m = plan.shape.model;
    const machine::Device& device = shipped_device("h200");
    for (const double sequence : {128.0, 1500.0}) {
      const EagerModel model{.style = m.plain_mlp ? BlockStyle::gpt : BlockStyle::llama,
                             .layers = m.layers,
                             .hidden = m.hidden,
                             .ffn = m.ffn,
                             .heads = m.heads,
                             .kv_width = m.kv_width(),
                             .vocabulary = m.vocabulary,
                             .sequence = sequence};
      CHECK(alike(
          whole(plan, visit_times(shipped(), device, plan, {.is_prefill = true, .requests = 4, .context = sequence})),
          prefill_seconds(device, shipped().eager, model, 4)));
      CHECK(alike(whole(plan, visit_times(shipped(), device, plan, {.requests = 4, .context = sequence})),
                  decode_seconds(device, shipped().eager, model, 4)));
    }
  }
}

TEST_CASE("tensor ranks share heads of keys as far as there are any; latent keys are on all") {
  CHECK(cache_bytes_per_token(served("Llama 2 70B")) == 2 * 2 * 8 * 128);
  CHECK(cache_bytes_per_token(served("Llama 2 70B", {.tensor = 8})) == 2 * 2 * 128);
  CHECK(cache_bytes_per_token(served("Llama 2 70B", {.tensor = 16})) == 2 * 2 * 128);
  InferencePlan latent = served("DeepSeek V3", {.tensor = 8});
  latent.kv_cache_bytes = 1;
  CHECK(cache_bytes_per_token(latent) == 512 + 64);
}

TEST_CASE("experts are divided among ranks, whichever way") {
  const double all = served_parameters(served("Mixtral 8x7B"), true).experts;
  CHECK(all == 8 * 3 * 4096.0 * 14336);
  for (const ParallelJob& job :
       {ParallelJob{.tensor = 8}, ParallelJob{.tensor = 8, .expert = 8}, ParallelJob{.tensor = 8, .expert = 2},
        ParallelJob{.data = 8, .expert = 8}, ParallelJob{.tensor = 2, .data = 4, .expert = 8}}) {
    CHECK(8 * served_parameters(served("Mixtral 8x7B", job), true).experts == all);
  }
}

TEST_CASE("experts that no token chose are not read") {
  const machine::Device& device = shipped_device("h100");
  const InferencePlan plan = served("Mixtral 8x7B");
  const double bandwidth = shipped().serving.memory_share * device.memory_bytes_per_s();
  const double one = 2 * 3 * 4096.0 * 14336 / bandwidth;
  CHECK(visit_times(shipped(), device, plan, {.requests = 1, .context = 1}).with_experts.experts ==
        doctest::Approx(2 * one));
  const VisitTimes many = visit_times(shipped(), device, plan, {.requests = 64, .context = 1});
  CHECK(many.with_experts.experts == doctest::Approx(8 * one).epsilon(0.001));
}

TEST_CASE("positions go from the second token to the last; a single token needs none") {
  InferencePlan plan = served("Llama 2 7B");
  std::vector<Round> rounds = rounds_of(plan);
  REQUIRE(rounds.size() == 1 + 5);
  CHECK(rounds.front().visit.is_prefill);
  CHECK(rounds[1].visit.context == 201);
  CHECK(rounds.back().visit.context == 399);
  plan.generate = 3;
  CHECK(rounds_of(plan).size() == 1 + 2);
  plan.generate = 1;
  CHECK(rounds_of(plan).size() == 1);
}

TEST_CASE("a program per stage, and every message has its counterpart") {
  InferencePlan plan = served("Llama 2 7B", {.tensor = 2, .pipeline = 4, .data = 2});
  plan.batch = 8;
  plan.micro_batches = 4;
  for (const Batching batching : {Batching::fixed, Batching::continuous}) {
    plan.batching = batching;
    REQUIRE(broken_field(plan) == "");
    const std::vector<Round> rounds = rounds_of(plan);
    const std::vector<VisitTimes> times(rounds.size(), {.embedding = 1e-6, .dense = {1e-6, 1e-6, 0}, .head = 1e-6});
    const auto made = inference_workload(plan, rounds, times);
    REQUIRE(made.ok());
    CHECK(made->workload.programs.size() == 4);
    CHECK(made->workload.rank_count() == 16);
    std::map<std::int64_t, std::int64_t> open;  // by tag: sends less receives, and their bytes
    std::int64_t bytes = 0;
    for (const workload::Program& program : made->workload.programs) {
      for (std::size_t i = 0; i < program.size(); ++i) {
        const bool send = program.kinds[i] == workload::ActivityKind::send;
        if (!send && program.kinds[i] != workload::ActivityKind::recv) continue;
        open[program.tags[i]] += send ? 1 : -1;
        bytes += send ? program.bytes[i] : -program.bytes[i];
      }
    }
    CHECK(open.size() == 4);
    for (const auto& [tag, count] : open) CHECK_MESSAGE(count == 0, "tag ", tag);
    CHECK(bytes == 0);
    CHECK(made->ends.size() == rounds.size());
  }
}

TEST_CASE("memory: weights once over all ranks, cache by requests, experts and tables where they are") {
  const MemoryOptions options{.library_bytes = 0, .fragmentation_share = 0};
  const InferencePlan one = served("Llama 2 70B");
  const double weights = inference_memory(one, options, 0).weights;
  CHECK(weights == 2 * dense_parameters(one.shape.model));
  InferencePlan plan = served("Llama 2 70B", {.tensor = 8, .pipeline = 2});
  double sum = 0;
  for (std::uint32_t stage = 0; stage < 2; ++stage) sum += 8 * inference_memory(plan, options, stage).weights;
  CHECK(sum == weights);
  plan.batch = 16;
  CHECK(inference_memory(plan, options, 0).cache == 16 * 40 * 400 * cache_bytes_per_token(plan));
  plan.batching = Batching::continuous;  // pages: half of the tokens are there on average
  CHECK(inference_memory(plan, options, 0).cache == 16 * 40 * 300 * cache_bytes_per_token(plan));
}

TEST_CASE("a plan that cannot be names the field") {
  CHECK(broken_field(served("Llama 2 70B", {.devices = 8, .tensor = 4})) == "parallelism");
  CHECK(broken_field(served("Llama 2 70B", {.tensor = 3})) == "parallelism.tensor");
  CHECK(broken_field(served("Llama 2 70B", {.pipeline = 81})) == "parallelism.pipeline");
  CHECK(broken_field(served("Llama 2 70B", {.expert = 2})) == "parallelism.expert");
  CHECK(broken_field(served("Mixtral 8x7B", {.expert = 4})) == "parallelism.expert");
  CHECK(broken_field(served("Llama 2 70B", {.context = 2})) == "parallelism.context");
  CHECK(broken_field(served("Llama 2 70B", {.interleave = 2})) == "parallelism.chunks");
  CHECK(broken_field(served("Llama 2 70B", {.zero_stage = 1})) == "parallelism.zero");
  CHECK(broken_field(served("Llama 2 70B", {.sequence_parallel = true})) == "parallelism.sequence");
  CHECK(broken_field(served("Llama 2 70B", {.data = 2})) == "inference.batch");
  InferencePlan plan = served("Llama 2 70B");
  plan.batch = 4;
  plan.micro_batches = 2;
  CHECK(broken_field(plan) == "inference.micro_batches");
  plan = served("Llama 2 70B");
  plan.batching = Batching::continuous;
  plan.generate = 1;
  CHECK(broken_field(plan) == "inference.generate");
  plan = served("Mixtral 8x7B");
  plan.stack = ServingStack::pytorch_eager;
  CHECK(broken_field(plan) == "inference.stack");
}
