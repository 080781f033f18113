#include "causal/step_name.h"

#include <doctest/doctest.h>

#include <string>

using namespace orrery;
using namespace orrery::causal;

namespace {

std::string text(const std::optional<std::int64_t>& value) { return value ? std::to_string(*value) : "-"; }

/// "vllm decode 32 32 | 0 0 0 | 32 32 55086": engine, phase, requests, tokens | of the context: requests, tokens, kv
/// tokens | of the generation.
std::string told(std::string_view name) {
  const std::optional<StepName> step = parse_step_name(name);
  if (!step) return "none";
  return step->engine + " " + identifier(step->phase) + " " + text(step->requests) + " " + text(step->tokens) + " | " +
         text(step->context_requests) + " " + text(step->context_tokens) + " " + text(step->context_kv_tokens) + " | " +
         text(step->generation_requests) + " " + text(step->generation_tokens) + " " + text(step->generation_kv_tokens);
}

}  // namespace

TEST_CASE("names of vLLM's steps, detailed and not") {
  CHECK(told("execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)") ==
        "vllm decode 32 32 | 0 0 0 | 32 32 55086");
  CHECK(told("execute_8192_context_9(sq8155sk8430sqsq7475785sqsk7671310)_generation_37(sq37sk34489sqsq37sqsk34489)") ==
        "vllm mixed 46 8192 | 9 8155 8430 | 37 37 34489");
  // The total that is said counts, be it padded.
  CHECK(told("execute_128_context_0(sq0sk0sqsq0sqsk0)_generation_30(sq120sk65536sqsq512sqsk262144)") ==
        "vllm decode 30 128 | 0 0 0 | 30 120 65536");
  CHECK(told("execute_context_2(14721)_generation_0(0)") == "vllm prefill 2 14721 | 2 14721 - | 0 0 -");
  CHECK(told("execute_context_1(888_788544)_generation_0(0)") == "vllm prefill 1 888 | 1 888 - | 0 0 -");
  CHECK(told("execute_context_2(6144)_generation_3(3_99)") == "vllm mixed 5 6147 | 2 6144 - | 3 3 -");
  CHECK(told("execute_context_0(0)_generation_0(0)") == "vllm idle 0 0 | 0 0 - | 0 0 -");
}

TEST_CASE("names of SGLang's steps, in any case and of any mode") {
  CHECK(told("step[DECODE bs=32]") == "sglang decode 32 32 | 0 0 - | 32 32 -");
  CHECK(told("step[decode bs=64 g_sq=128 g_sqsq=256 g_sqsk=262144 g_sk=131072]") ==
        "sglang decode 64 128 | 0 0 - | 64 128 131072");
  CHECK(told("step[EXTEND bs=15 toks=15360]") == "sglang prefill 15 15360 | 15 15360 - | 0 0 -");
  CHECK(told("step[PREFILL bs=1]") == "sglang prefill 1 - | 1 - - | 0 0 -");
  CHECK(told("step[DRAFT_EXTEND bs=2 toks=8]") == "sglang prefill 2 8 | 2 8 - | 0 0 -");
  CHECK(told("step[EXTEND bs=2 toks=14721 c_sq=14721 c_sqsq=108745533 c_sqsk=120007533 c_sk=16221]") ==
        "sglang prefill 2 14721 | 2 14721 16221 | 0 0 -");
  CHECK(told("step[MIXED bs=2 c=1 g=1 c_sq=5 c_sk=8 c_sqsq=25 c_sqsk=40 g_sq=1 g_sk=12 g_sqsq=1 g_sqsk=12]") ==
        "sglang mixed 2 6 | 1 5 8 | 1 1 12");
  CHECK(told("step[MIXED bs=10 toks=1000 ext=2 dec=8]") == "sglang mixed 10 1000 | 2 - - | 8 - -");
  CHECK(told("step[MIXED bs=7]") == "sglang mixed 7 - | - - - | - - -");
  // How many tokens are verified per request, the name does not say.
  CHECK(told("step[TARGET_VERIFY bs=4]") == "sglang decode 4 - | 0 0 - | 4 - -");
  CHECK(told("step[idle]") == "sglang idle 0 0 | 0 0 - | 0 0 -");
  CHECK(told("step[SPLIT_PREFILL bs=3 toks=9]") == "sglang other 3 9 | - - - | - - -");
}

TEST_CASE("names of ATOM's steps: of a padded batch the real one, of prompts among decodes both kinds") {
  CHECK(told("decode[bs=117/128 tok=117 d=117]") == "atom decode 117 117 | 0 0 - | 117 117 -");
  CHECK(told("decode[bs=32 tok=128 d=32 spec=3 sqsq=512 sqsk=262144 sk=65536]") ==
        "atom decode 32 128 | 0 0 - | 32 128 65536");
  CHECK(told("decode[bs=128 tok=384 p=2 d=126 sqsq=132612 sqsk=1114112 sk=258048 tbo=1]") ==
        "atom mixed 128 384 | 2 - - | 126 - -");
  CHECK(told("prefill[bs=2 tok=14721 ctx=[7803, 6918]]") == "atom prefill 2 14721 | 2 14721 - | 0 0 -");
  CHECK(told("prefill[bs=6 tok=17408 ctx=[4096, 4096, 4096]...+3 sqsq=5 sqsk=5 sk=17408]") ==
        "atom prefill 6 17408 | 6 17408 17408 | 0 0 -");
}

TEST_CASE("names of TensorRT-LLM's steps and of diffusion") {
  CHECK(told("[Executor] _forward_step 412: 0 ctx reqs, 64 gen reqs") == "trtllm decode 64 - | 0 0 - | 64 - -");
  CHECK(told("[Executor] _forward_step 413: 2 ctx reqs, 8192 ctx tokens, 61 gen reqs") ==
        "trtllm mixed 63 - | 2 8192 - | 61 - -");
  CHECK(told("_forward_step: 1 ctx reqs, 100 ctx tokens, 0 gen reqs") == "trtllm prefill 1 100 | 1 100 - | 0 0 -");
  CHECK(told("executeStep: 0 ctx reqs, 0 gen reqs") == "trtllm idle 0 0 | 0 0 - | 0 0 -");
  CHECK(told("execute_diffusion_1_256x256") == "diffusion diffusion 1 - | - - - | - - -");
}

TEST_CASE("the whole name must match") {
  for (const char* name : {"",
                           "execute_model",
                           "execute_32",
                           "execute_",
                           "step",
                           "step[]",
                           "step[ ]",
                           "step[DECODE",
                           "step[12]",
                           "step[DECODE bs]",
                           "step[DECODE bs=]",
                           "step[DECODE bs=4] ",
                           "aten::step[DECODE",
                           "decode",
                           "decode[]",
                           "decode[bs=x]",
                           "decode[bs=4/]",
                           "decode[0]",
                           "decode[bs=1 ctx=[2]",
                           "prefill_cache_lookup",
                           "prefill[tok=3]",
                           "capture_32_FULL",
                           "capture_batch_16",
                           "sample",
                           "execute_context_1(5)_generation_0",
                           "execute_diffusion_1_256",
                           "execute_context_-1(5)_generation_0(0)",
                           "execute_4_context_1(5)_generation_0(0)",
                           "execute_context_99999999999999999999(5)_generation_0(0)",
                           "_forward_step",
                           "_forward_step x: 1 ctx reqs",
                           "[Executor] sample_async 3",
                           "executeStep: 1 ctx reqs, 2 gen reqs more"})
    CHECK_MESSAGE(told(name) == "none", name);
}

TEST_CASE("a numbered step tells its phase by a word of its name") {
  REQUIRE(parse_numbered_step("jit_prefill_step").has_value());
  CHECK(parse_numbered_step("jit_prefill_step")->phase == StepPhase::prefill);
  CHECK(parse_numbered_step("Generate")->phase == StepPhase::decode);
  CHECK(parse_numbered_step("Generate")->engine == "jax");
  CHECK_FALSE(parse_numbered_step("prefilled").has_value());
  CHECK_FALSE(parse_numbered_step("train").has_value());
}
