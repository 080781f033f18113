#include "job/shipped/llm_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/io/file_content.h"
#include "base/limits.h"
#include "base/suggest.h"
#include "job/shipped/llm_fields.h"
#include "job/shipped/served_model.h"
#include "job/shipped/shipped_catalog.h"
#include "llm/architecture.h"
#include "llm/architecture_fields.h"
#include "llm/serving/inference_plan.h"
#include "llm/steps/layer_model.h"
#include "llm/steps/matrix_plan.h"
#include "machine/yaml/field_reader.h"
#include "report/counted.h"

// A file is read into an LlmDocument, plain fields with their ranges. A Resolver then makes a configuration of it:
// model and machine by name or file, the plan with what the file leaves to its software. Whatever contradicts is told
// by the field in the way.

namespace orrery::job {
namespace {

using machine::Violation;

/// Makes a configuration of a document, or says which field is in the way.
class Resolver {
 public:
  Resolver(const llm::Catalog& catalog, const std::string& file)
      : catalog_(catalog), folder_(std::filesystem::path(file).parent_path()) {}

  std::optional<Violation> resolve(const LlmDocument& document, LlmConfig& config) const {
    config.name = document.name;
    config.memory = document.memory;
    config.sweep = document.sweep.plans;
    config.network = document.network;
    // The ranges of fields were checked on reading; this is about fields that contradict one another.
    if (const Status good = document.network.check(); !good)
      return Violation{"network", good.error().message, good.error().hint};
    if (auto found = find_kind_violation(document)) return found;
    if (document.serving) {
      if (auto found = resolve_serving(document, config)) return found;
      // What a step costs is in the file itself.
      if (!needs_machine(document)) return std::nullopt;
    }
    if (document.model) {
      if (auto found = find_model(*document.model, config.plan)) return found;
    }
    // The machine before the device, as it may name one.
    if (auto found = find_machine(document, config)) return found;
    if (auto found = find_device(document, config)) return found;
    if (document.gemm) return resolve_product(document, config);
    if (document.inference) return resolve_inference(document, config);
    if (document.serving) return resolve_served_model(document, config);
    if (document.lstm) take_lstm(document.lstm->shape, config.plan);
    if (document.software_release && !llm::parse_release(*document.software_release)) {
      return Violation{"software_release",
                       fmt::format("is '{}', which is not a year and a month", *document.software_release),
                       "26.06 is of June 2026; left out: the latest that is known"};
    }
    plan(document, document.lstm ? document.lstm->training : *document.training, config);
    if (auto found = count_devices(document, config)) return found;
    auto found = llm::find_plan_violation(config.plan);
    // An LSTM's batch is a field of lstm.
    if (found && document.lstm && found->field.starts_with("training."))
      found->field.replace(0, std::string_view("training").size(), "lstm");
    return found;
  }

 private:
  /// A file beside the configuration, or one as seen from here.
  [[nodiscard]] std::string path_of(const std::string& text) const {
    std::error_code ignored;
    const std::filesystem::path beside = folder_ / text;
    return std::filesystem::is_regular_file(beside, ignored) ? beside.string() : text;
  }
  [[nodiscard]] static bool names_file(const std::string& text) {
    return text.find('/') != std::string::npos || text.ends_with(".yaml") || text.ends_with(".yml");
  }

  static std::optional<Violation> find_kind_violation(const LlmDocument& document) {
    std::vector<std::string_view> given;
    if (document.training) given.emplace_back("training");
    if (document.inference) given.emplace_back("inference");
    if (document.gemm) given.emplace_back("gemm");
    if (document.lstm) given.emplace_back("lstm");
    if (document.serving) given.emplace_back("serving");
    if (given.empty())
      return Violation{"training", "is missing: a configuration says what to predict",
                       "one of training, inference, gemm, lstm, serving"};
    if (given.size() > 1)
      return Violation{std::string(given[1]),
                       fmt::format("is there beside {}: a configuration predicts one thing", given[0]),
                       "one of training, inference, gemm, lstm, serving; the other goes into a file of its own"};
    // A product and an LSTM are their own shape.
    const bool needs_model = document.training || document.inference || (document.serving && needs_machine(document));
    if (needs_model && !document.model)
      return Violation{"model", "is missing: training, inference and serving by a model's kernels need one",
                       "model: gpt_3_175b, or a file that describes one"};
    if ((document.gemm || document.lstm) && document.model)
      return Violation{"model", fmt::format("is not for {}, which says its own shape", given[0]), "leave it out"};
    if (needs_machine(document) && !document.machine)
      return Violation{"machine", "is missing: something has to compute",
                       "machine: dgx_h100, or a file that describes one"};
    return std::nullopt;
  }

  /// Profiled times and sums of products say by themselves what a step takes.
  static bool needs_machine(const LlmDocument& document) {
    return !document.serving || document.serving->costs.kind == llm::CostKind::model;
  }

  [[nodiscard]] std::optional<Violation> resolve_serving(const LlmDocument& document, LlmConfig& config) const {
    llm::ServingPlan& plan = config.serving.emplace();
    config.serving_space = document.sweep.serving;
    config.serving_space.tensor = document.sweep.plans.tensor;
    if (auto found = plan_serving(*document.serving, plan)) {
      found->field = "serving." + found->field;
      return found;
    }
    if (plan.requests) plan.requests = path_of(*plan.requests);
    for (std::string* file : {&plan.costs.dense, &plan.costs.per_sequence, &plan.costs.attention})
      if (!file->empty()) *file = path_of(*file);
    if (plan.costs.moe) plan.costs.moe = path_of(*plan.costs.moe);
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Violation> resolve_served_model(const LlmDocument& document, LlmConfig& config) const {
    plan(document, {}, config);
    if (auto found = find_too_many_devices(document, config)) return found;
    const llm::StepCosts& costs = document.serving->costs;
    if (auto found = find_rate_violation("serving.costs.precision", costs.precision, config)) return found;
    llm::ServingPlan& serving = *config.serving;
    llm::InferencePlan& served =
        config.served.emplace(llm::InferencePlan{.shape = config.plan,
                                                 .prompt = static_cast<double>(serving.engine.limits.max_batch_tokens),
                                                 .precision = costs.precision,
                                                 .kv_cache_bytes = costs.kv_cache_bytes});
    served.shape.model.prediction_layers = 0;
    if (document.parallelism.data && *document.parallelism.data > 1)
      return Violation{"parallelism.data", "is what serving.replicas say", "leave it out"};
    served.shape.job.data = 1;
    serving.engine.stages = served.shape.job.pipeline;
    const llm::ParallelJob& job = served.shape.job;
    const double ranks = job.tensor * serving.engine.replicas;
    if (serving.engine.experts_shared && job.expert > 1 && job.expert != ranks)
      return Violation{"parallelism.expert",
                       fmt::format("is {}, and with experts_shared all {} ranks of {} hold experts", job.expert, ranks,
                                   report::counted(serving.engine.replicas, "replica")),
                       "leave it out"};
    if (auto found = divide_served({serving, config.device, config.machine, config.memory}, job.tensor,
                                   serving.engine.replicas, served, serving.engine.limits.kv_blocks))
      return found;
    if (serving.has_blocks && llm::scheduler_limits(serving.engine).kv_blocks < 1)
      return Violation{"serving.kv_blocks", fmt::format("are {}, of which the scheduler of each of {} stages has none",
                                                        serving.engine.limits.kv_blocks, serving.engine.stages)};
    return std::nullopt;
  }

  static void take_lstm(const LstmFields& fields, llm::StepPlan& plan) {
    plan.model = {.name = fmt::format("LSTM of {} of {}", report::counted(fields.layers, "layer"), fields.hidden),
                  .layers = fields.layers,
                  .hidden = fields.hidden,
                  .heads = 1,
                  .kv_heads = 1,
                  .head_size = fields.hidden,
                  .ffn = fields.hidden,
                  .vocabulary = fields.vocabulary};
    plan.lstm = llm::LstmShape{.input = fields.input ? static_cast<double>(*fields.input) : fields.hidden};
  }

  [[nodiscard]] static std::optional<Violation> find_rate_violation(const char* field, machine::DataType precision,
                                                                    const LlmConfig& config) {
    if (config.device.peak_flops(precision) > 0) return std::nullopt;
    return Violation{field,
                     fmt::format("is {}, of which the device '{}' has no rate",
                                 machine::kDataTypeNames[static_cast<std::size_t>(precision)], config.device.name)};
  }

  [[nodiscard]] std::optional<Violation> resolve_inference(const LlmDocument& document, LlmConfig& config) const {
    const InferenceFields& fields = *document.inference;
    // Training of nothing: only what both have in common is taken from it.
    plan(document, {.tied_embeddings = fields.tied_embeddings}, config);
    if (auto found = count_devices(document, config)) return found;
    if (auto found = find_rate_violation("inference.precision", fields.precision, config)) return found;
    llm::InferencePlan& inference =
        config.inference.emplace(llm::InferencePlan{.shape = config.plan,
                                                    .batch = fields.batch,
                                                    .prompt = fields.prompt,
                                                    .generate = fields.generate,
                                                    .micro_batches = fields.micro_batches,
                                                    .positions = fields.positions,
                                                    .batching = fields.batching,
                                                    .stack = fields.stack,
                                                    .precision = fields.precision,
                                                    .kv_cache_bytes = fields.kv_cache_bytes});
    // Heads that predict further tokens are for training.
    inference.shape.model.prediction_layers = 0;
    return llm::find_inference_violation(inference);
  }

  [[nodiscard]] std::optional<Violation> resolve_product(const LlmDocument& document, LlmConfig& config) const {
    config.product = document.gemm;
    config.plan.job.devices = document.gemm->devices();
    if (document.devices && static_cast<double>(*document.devices) != document.gemm->devices()) {
      return Violation{"devices", fmt::format("are {}, and gemm.rows x gemm.columns = {} x {} = {}", *document.devices,
                                              document.gemm->rows, document.gemm->columns, document.gemm->devices())};
    }
    if (auto found = llm::find_matrix_violation(*document.gemm)) return found;
    if (auto found = find_rate_violation("gemm.precision", document.gemm->precision, config)) return found;
    auto found = count_devices(document, config);
    // Without `devices` the shape of the product asked for too many.
    if (found && !document.devices) found->field = "gemm";
    return found;
  }

  [[nodiscard]] std::optional<Violation> find_model(const std::string& model, llm::StepPlan& plan) const {
    if (names_file(model)) {
      auto read = llm::read_architecture(path_of(model));
      if (!read) return Violation{"model", fmt::format("cannot be read: {}", read.error().message), read.error().hint};
      plan.model = std::move(*read);
      return std::nullopt;
    }
    const std::string wanted = llm::normalised_name(model);
    std::vector<std::string> names, spellings;
    for (const llm::Architecture& one : catalog_.architectures) {
      std::vector<std::string> called = one.aliases;
      called.push_back(one.name);
      for (const std::string& name : called) {
        // Names are compared without case, blanks and punctuation.
        if (llm::normalised_name(name) == wanted) {
          plan.model = one;
          return std::nullopt;
        }
      }
      names.push_back(one.name);
      spellings.push_back(llm::normalised_name(one.name));
    }
    const std::vector<std::string_view> views(spellings.begin(), spellings.end());
    const std::string_view nearest = nearest_word(wanted, views);
    const auto place = std::find(views.begin(), views.end(), nearest);
    const std::string meant = place == views.end() ? "" : names[static_cast<std::size_t>(place - views.begin())];
    return Violation{"model", fmt::format("'{}' is not known", model),
                     meant.empty() ? fmt::format("shipped: {}; or a file that describes one", fmt::join(names, ", "))
                                   : fmt::format("did you mean '{}'?", meant)};
  }

  [[nodiscard]] std::optional<Violation> find_machine(const LlmDocument& document, LlmConfig& config) const {
    auto read = read_machine(names_file(*document.machine) ? path_of(*document.machine) : *document.machine);
    if (!read) return Violation{"machine", fmt::format("cannot be read: {}", read.error().message), read.error().hint};
    config.machine = std::move(*read);
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Violation> find_device(const LlmDocument& document, LlmConfig& config) const {
    const std::string text = document.device.value_or(config.machine.devices.name);
    auto read = read_device(catalog_, document.device && names_file(text) ? path_of(text) : text);
    if (!read)
      return Violation{document.device ? "device" : "machine",
                       fmt::format("has no device with known kernels: {}", read.error().message),
                       document.device ? read.error().hint : "device: NAME says which one it is"};
    config.device = std::move(*read);
    return std::nullopt;
  }

  void plan(const LlmDocument& document, const Training& training, LlmConfig& config) const {
    const Parallelism& parallel = document.parallelism;
    llm::StepPlan& plan = config.plan;
    // Devices of one copy of the model.
    const double copy = parallel.tensor * parallel.context * parallel.pipeline;
    const double devices = static_cast<double>(document.devices.value_or(config.machine.devices.count));
    plan.job = {.sequence = training.sequence,
                .global_batch = training.global_batch,
                .micro_batch = training.micro_batch,
                // With `data` alone the job is as large as its copies; without, it fills the machine.
                .devices = document.devices || !parallel.data ? devices : copy * static_cast<double>(*parallel.data),
                .tensor = parallel.tensor,
                .pipeline = parallel.pipeline,
                // As many copies as fit; too few devices for one are told later, with the field in the way.
                .data = parallel.data ? static_cast<double>(*parallel.data) : std::max(1.0, std::floor(devices / copy)),
                .context = parallel.context,
                .expert = parallel.expert,
                .interleave = parallel.chunks,
                .zero_stage = static_cast<int>(parallel.zero),
                .sequence_parallel = parallel.sequence,
                .recomputation = training.recompute};
    plan.order = parallel.order;
    plan.dispatch = parallel.dispatch;
    plan.precision = training.precision;
    plan.gradient_bytes = training.gradient_bytes;
    plan.tied_embeddings = training.tied_embeddings;
    plan.captured = training.graphs;
    plan.software = software(document, config.device);
    // Early software waits for everything.
    const bool modern = !llm::is_early(plan.software);
    plan.overlap = {.gradients = document.overlap.gradients.value_or(modern),
                    .parameters = document.overlap.parameters.value_or(modern),
                    .messages = document.overlap.messages.value_or(modern && parallel.chunks > 1),
                    .experts = document.overlap.experts,
                    .slowdown = document.overlap.slowdown,
                    .tensor_parts = document.overlap.tensor_parts};
    if (!document.software_release) plan.release = llm::kLatestRelease;
    else plan.release = llm::parse_release(*document.software_release).value_or(llm::SoftwareRelease{});
    // The innermost of several dimensions is the fast one.
    if (config.machine.network.size() > 1) plan.domain_devices = static_cast<double>(config.machine.network[0].size);
    plan.bucket_bytes = document.overlap.bucket_mb * 1e6;
  }

  static llm::Software software(const LlmDocument& document, const machine::Device& device) {
    if (document.software != SoftwareChoice::automatic)
      // The first choice is the automatic one, which is no software.
      return static_cast<llm::Software>(static_cast<int>(document.software) - 1);
    // What ran on these when they were new, and what their constants were fitted with.
    const bool early = device.generation == "ampere" || device.generation == "volta";
    return early ? llm::Software::megatron_lm_2022 : llm::Software::megatron_core;
  }

  [[nodiscard]] static std::optional<Violation> find_too_many_devices(const LlmDocument& document,
                                                                      const LlmConfig& config) {
    const llm::ParallelJob& job = config.plan.job;
    const auto there = static_cast<double>(config.machine.devices.count);
    if (job.devices <= there) return std::nullopt;
    return Violation{document.devices ? "devices" : "parallelism",
                     fmt::format("needs {}, and the machine '{}' has {}", report::counted(job.devices, "device"),
                                 config.machine.name, there)};
  }

  [[nodiscard]] static std::optional<Violation> count_devices(const LlmDocument& document, LlmConfig& config) {
    if (auto found = find_too_many_devices(document, config)) return found;
    // Devices that the job leaves idle would be simulated for nothing.
    config.machine = cut_to(std::move(config.machine), static_cast<std::int64_t>(config.plan.job.devices));
    return std::nullopt;
  }

  const llm::Catalog& catalog_;
  const std::filesystem::path folder_;
};

}  // namespace

machine::Machine cut_to(machine::Machine machine, std::int64_t devices) {
  // Faults name links by number, which cutting would change.
  if (machine.network.empty() || !machine.faults.empty()) return machine;
  machine::Dimension& outer = machine.network.back();
  const std::int64_t inner = machine.devices.count / std::max<std::int64_t>(1, outer.size);
  // Rounded up: a job fills some instances of the inner dimensions, the last perhaps in part.
  const std::int64_t needed = inner == 0 ? outer.size : (devices + inner - 1) / inner;
  // Dimensions that say their size by themselves cannot be cut.
  if (machine::implied_size(outer) || needed >= outer.size) return machine;
  if (needed > 1) {
    outer.size = needed;
    machine.devices.count = inner * needed;
    return machine;
  }
  // One instance of what is further in is left, of which a part may do.
  machine.network.pop_back();
  machine.devices.count = inner;
  return machine.network.empty() ? machine : cut_to(std::move(machine), devices);
}

Result<LlmConfig> parse_llm_config(std::string_view yaml, const std::string& file, const llm::Catalog& catalog) {
  LlmConfig config;
  const Resolver resolver(catalog, file);
  const auto read = machine::read_description<LlmDocument>(
      yaml, file, "the configuration", "docs/formats/llm.md",
      [&](const LlmDocument& document) { return resolver.resolve(document, config); });
  if (!read) return read.error();
  return config;
}

Result<LlmConfig> read_llm_config(const std::string& path, const llm::Catalog& catalog) {
  auto text = read_whole_file(path, kMaxYamlBytes);
  if (!text) return text.error();
  return parse_llm_config(*text, path, catalog);
}

bool is_llm_config(const std::string& path) {
  // Behind comments of any length a person would write; traces are far larger, and are not read for this.
  constexpr std::size_t kHead = 16384;
  const auto head = read_first_bytes(path, kHead);
  if (!head) return false;
  // A recording is never YAML: where the first line is damaged, the reader of configurations says so.
  if (path.ends_with(".yml") || path.ends_with(".yaml")) return true;
  const std::size_t at = head->starts_with("format:") ? 0 : head->find("\nformat:");
  if (at == std::string::npos) return false;
  const std::string_view line = std::string_view(*head).substr(at, head->find('\n', at + 1) - at);
  return line.find(kLlmFormat) != std::string_view::npos;
}

}  // namespace orrery::job
