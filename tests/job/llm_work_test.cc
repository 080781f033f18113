#include <doctest/doctest.h>

#include <filesystem>

#include "base/io/file_content.h"
#include "base/limits.h"
#include "job/shipped/llm_config.h"
#include "machine/yaml/yaml_tree.h"

using namespace orrery;
using namespace orrery::job;

namespace {

const std::string kData = std::string(ORRERY_SOURCE_DIR) + "/data";

const llm::Catalog& catalog_of_work() {
  static const llm::Catalog read = [] {
    auto all = llm::read_catalog(kData);
    REQUIRE(all.ok());
    return std::move(*all);
  }();
  return read;
}

/// The message, or nothing if the configuration is good.
std::string refused(const std::string& rest) {
  const auto config =
      parse_llm_config("format: orrery.llm/1\nname: test\nmachine: " + kData + "/machines/dgx_h100.yaml\n" + rest,
                       kData + "/llm/test.yml", catalog_of_work());
  return config ? "" : config.error().to_string();
}

bool mentions(const std::string& text, std::initializer_list<std::string_view> parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("every shipped configuration can be read") {
  std::size_t read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kData + "/llm")) {
    if (entry.path().extension() != ".yml") continue;  // tables of requests lie beside
    auto text = read_whole_file(entry.path().string(), kMaxYamlBytes);
    REQUIRE(text.ok());
    // Shipped machines are found from where the program is, which is not where tests are.
    const std::size_t name = text->find("machine: ") + std::string_view("machine: ").size(),
                      end = text->find('\n', name);
    if (text->find("machine: ") != std::string::npos)
      text->replace(name, end - name, kData + "/machines/" + text->substr(name, end - name) + ".yaml");
    const auto config = parse_llm_config(*text, entry.path().string(), catalog_of_work());
    CHECK_MESSAGE(config.ok(), (config ? "" : config.error().to_string()));
    ++read;
  }
  CHECK(read >= 12);
}

TEST_CASE("a configuration predicts exactly one thing") {
  const std::string inference = "inference: {prompt: 10, generate: 10}\n",
                    gemm = "gemm: {m: 8, n: 8, k: 8, layout: row_column}\n";
  CHECK(refused("model: llama_2_7b\ndevices: 1\n" + inference) == "");
  CHECK(refused(gemm) == "");
  CHECK(mentions(refused("model: llama_2_7b\n"), {"training is missing", "one of training, inference, gemm, lstm"}));
  CHECK(mentions(refused("model: llama_2_7b\n" + inference + gemm), {"line 6", "gemm is there beside inference"}));
  CHECK(mentions(refused(inference), {"model is missing"}));
  CHECK(mentions(refused("model: llama_2_7b\n" + gemm), {"line 4", "model is not for gemm"}));
}

TEST_CASE("what is wrong is said with its line, field and rule") {
  const std::string model = "model: llama_2_70b\n";
  CHECK(mentions(refused(model + "inference: {prompt: 10, generate: 10}\nparallelism: {tensor: 3}\ndevices: 3\n"),
                 {"line 6", "parallelism.tensor of 3 must divide the 64 attention heads"}));
  CHECK(mentions(refused(model + "inference:\n  prompt: 10\n  generat: 10\n"),
                 {"line 7", "unknown key 'generat'", "did you mean 'generate'?"}));
  CHECK(mentions(refused(model + "inference: {prompt: -1, generate: 10}\n"),
                 {"line 5", "inference.prompt must be at least 1"}));
  CHECK(mentions(refused(model + "inference: {prompt: 10, generate: 10, precision: fp4}\nparallelism: {tensor: 8}\n"),
                 {"line 5", "inference.precision is fp4, of which the device 'H100' has no rate"}));
  CHECK(mentions(refused(model + "inference: {prompt: 10, generate: 10, batching: continous}\n"),
                 {"did you mean 'continuous'?"}));
  CHECK(mentions(refused(model + "inference: {prompt: 10, generate: 10}\nparallelism: {tensor: 8, zero: 1}\n"),
                 {"parallelism.zero is for training"}));
  CHECK(mentions(refused(model + "inference: {prompt: 10, generate: 10}\ndevices: 16\nparallelism: {tensor: 8}\n"),
                 {"line 6", "devices needs 16 devices", "has 8"}));
  CHECK(mentions(refused("gemm: {m: 8, n: 8, k: 8, layout: row_column, rows: 3}\n"),
                 {"line 4", "gemm.rows makes 3 parts, which must divide m = 8"}));
  CHECK(mentions(refused("gemm: {m: 64, n: 64, k: 64, layout: row_column, rows: 4, columns: 4}\n"),
                 {"line 4", "gemm needs 16 devices"}));
  CHECK(mentions(refused("gemm: {m: 64, n: 64, k: 64, layout: row_column, rows: 4}\ndevices: 8\n"),
                 {"line 5", "devices are 8", "4 x 1 = 4"}));
  CHECK(mentions(refused("lstm: {layers: 4, hidden: 64, vocabulary: 100, sequence: 10, global_batch: 12}\n"),
                 {"line 4", "lstm.global_batch of 12 must be a multiple"}));
  CHECK(mentions(
      refused(
          "lstm: {layers: 4, hidden: 64, vocabulary: 100, sequence: 10, global_batch: 8}\nparallelism: {tensor: 2}\n"),
      {"line 5", "parallelism.tensor is for transformers"}));
}

TEST_CASE("an LSTM is a training step, whose input is as wide as its state unless it is said") {
  const auto config = parse_llm_config(
      "format: orrery.llm/1\nname: test\nmachine: " + kData +
          "/machines/dgx_a100.yaml\nlstm: {layers: 4, hidden: 64, vocabulary: 100, sequence: 10, global_batch: 8}\n",
      kData + "/llm/test.yml", catalog_of_work());
  REQUIRE(config.ok());
  REQUIRE(config->plan.lstm.has_value());
  CHECK(config->plan.lstm->input == 64);
  CHECK(config->plan.job.data == 8);
  CHECK_FALSE(config->inference.has_value());
}

TEST_CASE("a serving engine by kernels: stages, shared experts, and what they rule out") {
  const auto serving = [](const std::string& model, const std::string& parallelism, const std::string& more,
                          const std::string& rest = "") {
    return refused("model: " + model + "\nparallelism: {" + parallelism +
                   "}\nserving:\n  arrivals: {rate_per_s: 1, count: " +
                   "10, prompt: {mean: 100}, generate: {mean: 10}}\n" + more + rest);
  };
  CHECK(serving("llama_3_8b", "tensor: 2, pipeline: 4", "") == "");
  CHECK(serving("mixtral_8x7b", "tensor: 2", "  replicas: 4\n  experts_shared: true\n") == "");
  CHECK(serving("mixtral_8x7b", "tensor: 2, expert: 8", "  replicas: 4\n  experts_shared: true\n") == "");
  // Replicas that share nothing may be on machines of their own.
  CHECK(serving("llama_3_8b", "tensor: 8", "  replicas: 4\n") == "");
  CHECK(mentions(serving("llama_3_8b", "tensor: 16", ""), {"parallelism", "needs 16 devices", "has 8"}));
  CHECK(mentions(serving("llama_3_8b", "pipeline: 4", "  kv_blocks: 3\n"), {"serving.kv_blocks", "4 stages has none"}));
  const std::string shared = "  experts_shared: true\n";
  CHECK(mentions(serving("llama_3_8b", "tensor: 1", "  replicas: 2\n" + shared), {"serving.experts_shared", "none"}));
  CHECK(mentions(serving("mixtral_8x7b", "pipeline: 2", "  replicas: 2\n" + shared),
                 {"parallelism.pipeline", "one stage"}));
  CHECK(mentions(serving("mixtral_8x7b", "expert: 2", "  replicas: 4\n" + shared),
                 {"parallelism.expert", "all 4 ranks"}));
  CHECK(mentions(serving("mixtral_8x7b", "tensor: 1", "  replicas: 7\n" + shared),
                 {"serving.replicas", "7 ranks", "8 experts"}));
  CHECK(mentions(serving("mixtral_8x7b", "tensor: 2", "  replicas: 8\n" + shared), {"divide the 8 experts"}));
  // A sweep has the experts of each setting on the ranks of that one.
  CHECK(serving("mixtral_8x7b", "tensor: 1", "  replicas: 4\n" + shared, "sweep: {replicas: [2, 4]}\n") == "");
}
