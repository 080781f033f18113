#include "llm/catalog.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "llm/architecture.h"
#include "llm/backtest/backtest.h"
#include "llm/serving/serving.h"
#include "llm/shipped.h"
#include "support/temp_dir.h"

using namespace orrery;
using namespace orrery::llm;

TEST_CASE("devices are found in what people call them") {
  const auto name = [](std::string_view text) {
    const machine::Device* device = find_device(shipped(), text);
    return device == nullptr ? "none" : device->name;
  };
  CHECK(name("h200") == "H200");
  CHECK(name("DGX-GB300") == "GB300");
  CHECK(name("DGX-B300") == "B300");
  CHECK(name("A100-SXM4-40GB") == "A100-40");
  CHECK(name("A100-80GB-SXM (Selene)") == "A100-80");
  CHECK(name("4xA100 (UCI box)") == "A100-80");
  CHECK(name("H800") == "H100");
  CHECK(name("TPU v5p") == "TPUv5p");
  CHECK(name("NVIDIA H200 NVL") == "H200");
  CHECK(name("h2000") == "none");
  CHECK(name("abacus") == "none");
  CHECK(device_called(shipped(), "h20").error().to_string().find("did you mean 'h200'") != std::string::npos);
  CHECK(device_called(shipped(), "abacus").error().to_string().find("shipped: a100-40, ") != std::string::npos);
}

TEST_CASE("models are found in what people call them, or guessed from their size") {
  const auto called = [](std::string_view name) { return architecture_called(shipped().architectures, name); };
  CHECK(called("LLAMA3_70B")->name == "Llama 3 70B");
  CHECK(called("Llama-3.3-70B-Instruct (NIM)")->name == "Llama 3 70B");
  CHECK(called("DeepSeek V3 (w/o MTP)")->name == "DeepSeek V3");
  CHECK(called("Qwen3 30B a3B")->name == "Qwen3 30B A3B");
  CHECK(called("Llama 2 13B")->ffn == 13824);
  CHECK(normalised_name("Llama 3.1 (8B) x") == "llama31x");
  const auto guess = called("Unheard-of 40B-A4B");
  REQUIRE(guess);
  CHECK(guess->hybrid->parameters == 40e9);
  CHECK(guess->hybrid->training_gflop_per_token == doctest::Approx(6.4 * 4));
  CHECK(guess->experts->count > 1);
  CHECK(called("Unheard-of 40B")->experts->count == 1);
  CHECK_FALSE(called("Unheard-of"));
}

TEST_CASE("published sizes of models come out of their shapes") {
  const auto billions = [](std::string_view name) {
    return dense_parameters(*architecture_called(shipped().architectures, name)) / 1e9;
  };
  CHECK(billions("Llama 2 7B") == doctest::Approx(6.74).epsilon(0.01));
  CHECK(billions("Llama 2 70B") == doctest::Approx(69.0).epsilon(0.01));
  CHECK(billions("Llama 3 8B") == doctest::Approx(8.03).epsilon(0.01));
  CHECK(billions("Llama 3.1 405B") == doctest::Approx(405).epsilon(0.01));
  CHECK(billions("GPT-3 175B") == doctest::Approx(175).epsilon(0.01));
}

TEST_CASE("a description that cannot be used is named") {
  const testing::TempDir folder;
  const std::filesystem::path source = std::filesystem::path(ORRERY_SOURCE_DIR) / "data";
  for (const char* kind : {"devices", "models", "frameworks", "clusters", "benchmarks", "accuracy"}) {
    std::filesystem::create_directories(folder.path("data"));
    std::filesystem::copy(source / kind, std::filesystem::path(folder.path("data")) / kind,
                          std::filesystem::copy_options::recursive);
  }
  REQUIRE(read_catalog(folder.path("data")));
  folder.write("data/models/zz.yaml", "format: orrery.model/1\nname: \"z\"\nlayer: 3\n");
  const auto read = read_catalog(folder.path("data"));
  REQUIRE_FALSE(read);
  CHECK(read.error().to_string().find("zz.yaml: line 3: unknown key 'layer' in the model (did you mean 'layers'?)") !=
        std::string::npos);
  CHECK(read_catalog(folder.path("nowhere")).error().to_string().find("the folder holds no descriptions") !=
        std::string::npos);
}

TEST_CASE("decode reads all weights: bandwidth bounds it, and more devices help less than their number") {
  const Architecture llama = *architecture_called(shipped().architectures, "Llama 2 70B");
  const machine::Device& device = shipped_device("H100");
  const double one = token_seconds(device, shipped().serving, llama, {.tensor = 1}, 100);
  const double eight = token_seconds(device, shipped().serving, llama, {.tensor = 8}, 100);
  CHECK(one > 2 * 68e9 / 3.35e12);
  CHECK(eight < one);
  CHECK(eight > one / 8);
  CHECK(prompt_seconds(device, shipped().serving, llama, {.tensor = 8}, 2048) >
        prompt_seconds(device, shipped().serving, llama, {.tensor = 8}, 1024));
}

TEST_CASE("errors: mean and median of their size, and their bias") {
  const ErrorSummary summary = summarise_errors({-10, 2, 6, -2});
  CHECK(summary.rows == 4);
  CHECK(summary.mean_pct == 5);
  CHECK(summary.median_pct == 4);
  CHECK(summary.bias_pct == -1);
  CHECK(summarise_errors({}).rows == 0);
  CHECK(error_pct(1.1, 1) == doctest::Approx(10));
}
