#include "llm/backtest/row_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>

#include "base/numbers.h"
#include "llm/architecture.h"
#include "llm/closed_forms/core_step.h"
#include "llm/closed_forms/eager_step.h"
#include "llm/closed_forms/fsdp_step.h"
#include "llm/closed_forms/megatron_step.h"
#include "llm/steps/layer_model.h"

// Tables leave much open: the micro-batch, the cluster, which overlaps a recipe has. What is not said is filled in by
// what the software did by default at the time, and where several values are possible the fastest stands for the row.

namespace orrery::llm {
namespace {

/// No published step has as many: a batch that makes more counts tokens.
constexpr double kMostMicroBatchesOfRow = 16384;
constexpr double kAmperePort = 25;  // GB/s: 200 Gb/s per device, InfiniBand HDR or RoCE, were usual with A100

/// Of a domain of `most` devices, as many as a job of `devices` gets: schedulers hand out equal segments of domains, so
/// that groups of the job do not lie across two of them (64 of the 72 of an NVL72 where the job is a power of two).
double segment_of(double devices, double most) {
  if (devices <= most) return most;
  double segment = most;
  while (segment > 1 && std::fmod(devices, segment) != 0) --segment;
  return segment;
}

RowCluster cluster_of(const Catalog& catalog, const Source& source, const machine::Device& device,
                      const BacktestRow& row, double devices) {
  if (const Cluster* cluster = find_cluster(catalog, source.cluster))
    return {.node_devices = cluster->node_devices,
            .port_gb_per_s = cluster->node_gb_per_s / cluster->node_devices,
            .rings = cluster->ring_gb_per_s > 0 ? cluster : nullptr,
            .bus = row.bus};
  return {.node_devices = segment_of(devices, static_cast<double>(device.scale_up_devices)),
          .port_gb_per_s = device.generation == "ampere"
                               ? kAmperePort
                               : rates_of(catalog.core.rates, device.generation).port_gb_per_s};
}

/// None: there is none of that name.
std::optional<Software> software_called(std::string_view name) {
  const auto* const found = std::find(kSoftwareNames.begin(), kSoftwareNames.end(), name);
  if (found == kSoftwareNames.end()) return std::nullopt;
  return static_cast<Software>(found - kSoftwareNames.begin());
}

/// None: steps of the framework are not scheduled.
std::optional<Software> software_of(const Source& source) {
  switch (source.framework) {
    case Framework::fsdp: return Software::pytorch_fsdp;
    case Framework::megatron_core: return Software::megatron_core;
    case Framework::nemo: return Software::nemo;
    case Framework::nanotron: return Software::nanotron;
    case Framework::megatron: return software_called(source.flavour);
    case Framework::eager:
    case Framework::paired_devices: break;
  }
  return std::nullopt;
}

/// What recipes have where tokens leave the scale-up domain. NeMo's drop tokens, which needs NCCL's all-to-all;
/// Megatron-Bridge's leave some models to it, and have a library forward those of others.
Dispatch dispatch_of(const CoreConstants& core, Software software, const std::string& model) {
  const auto& exchanged = core.exchanged_models;
  const bool is_exchanged =
      software == Software::nemo || std::find(exchanged.begin(), exchanged.end(), model) != exchanged.end();
  return is_exchanged ? Dispatch::all_to_all : Dispatch::forwarded;
}

/// What Megatron-Bridge's recipes capture of models whose recipe is not known: as most do, all on systems of Grace,
/// which are racks of devices on one fabric, and nothing on nodes of eight.
Captured usually_captured(const machine::Device& device) {
  constexpr std::int64_t kDevicesOfNode = 8;
  return device.scale_up_devices > kDevicesOfNode ? Captured::everything : Captured::nothing;
}

constexpr double kPartsOfTensorOverlap = 4;

/// Megatron's recipes of dense models run the collectives of tensor parallelism beside the products before and after
/// them (tp_comm_overlap), in four parts (num_splits of Transformer Engine's user buffers); not in four bits. What it
/// gains is part of the constants of NeMo and nanotron, which were fitted on schedules without.
bool overlaps_tensor_sums(const StepPlan& plan) {
  return plan.software == Software::megatron_core && plan.job.sequence_parallel && !plan.model.experts &&
         plan.precision != machine::DataType::fp4;
}

/// What recipes of the software have besides what a row says.
void complete_plan(const CoreConstants& core, const Source& source, const machine::Device& device,
                   const BacktestRow& row, const RowCluster& cluster, StepPlan& plan) {
  const bool nanotron = plan.software == Software::nanotron;
  plan.precision = precision_called(source, row.precision);
  // Tuned submissions name no release: they have the latest.
  plan.release = release_in(row.notes).value_or(plan.software == Software::nemo ? kLatestRelease : SoftwareRelease{});
  plan.adapters_only = says_adapters(row.notes);
  // Recommended wherever there is tensor parallelism, and tables do not say.
  plan.job.sequence_parallel = plan.job.tensor > 1;
  // The distributed optimizer is what Megatron's recipes use.
  if (!nanotron && plan.job.zero_stage == 0 && plan.job.data * plan.job.context > 1) plan.job.zero_stage = 1;
  // Where no recipe is known, as most have it: where tokens leave the scale-up domain, and a pipeline is interleaved,
  // which needs it.
  const bool leaves_domain = plan.model.experts && plan.job.expert > cluster.node_devices;
  const bool interleaved = plan.job.interleave > 1;
  plan.overlap = {.gradients = true,
                  .parameters = !nanotron,
                  .messages = false,
                  .experts = leaves_domain && interleaved && plan.software == Software::megatron_core};
  if (overlaps_tensor_sums(plan)) plan.overlap.tensor_parts = kPartsOfTensorOverlap;
  if (leaves_domain) plan.dispatch = dispatch_of(core, plan.software, plan.model.name);
  const CoreRecipe* recipe = plan.software == Software::megatron_core
                                 ? recipe_of(core, plan.model.name, device.name, plan.precision, plan.release)
                                 : nullptr;
  plan.captured = recipe != nullptr ? recipe->captured : usually_captured(device);
  if (recipe != nullptr) plan.overlap.experts = recipe->pairs;
  if (recipe != nullptr && recipe->fused) plan.dispatch = Dispatch::fused;
}

/// NeMo's recipes interleave their pipelines; its tables have 1 where they do not say how. It is either none or as many
/// chunks as there are layers.
std::vector<double> open_interleaves(const StepPlan& plan) {
  const double layers = plan.model.layers / plan.job.pipeline;
  const bool open = plan.software == Software::nemo && plan.job.pipeline > 1 && plan.job.interleave <= 1 &&
                    layers == std::floor(layers);
  return open ? std::vector{1.0, layers} : std::vector{plan.job.interleave};
}

}  // namespace

RowPlans row_plans(const Catalog& catalog, const Source& source, const machine::Device& device,
                   const BacktestRow& row) {
  RowPlans result;
  const std::optional<Software> software = software_of(source);
  if (!software) return result;
  auto model = architecture_of(catalog, source, row);
  if (!model || model->hybrid || !row.has({&BacktestRow::global_batch, &BacktestRow::sequence})) return result;
  StepPlan plan;
  plan.model = std::move(*model);
  plan.software = *software;
  const bool modern = !is_early(plan.software), sharded = plan.software == Software::pytorch_fsdp;
  if (!modern || sharded) plan.model.plain_mlp = true;  // GPT models, whose MLP has two matrices
  plan.job = job_of(source, row);
  plan.job.devices = plan.job.tensor * plan.job.context * plan.job.pipeline * plan.job.data;
  result.cluster = cluster_of(catalog, source, device, row, plan.job.devices);
  if (plan.job.pipeline < 2) plan.job.interleave = 1;
  plan.overlap = {.gradients = false, .parameters = false, .messages = false};
  if (modern) complete_plan(catalog.core, source, device, row, result.cluster, plan);
  // Gradients are summed in 32 bits with bf16, and by all of today's recipes; FSDP reduces them as they come.
  plan.gradient_bytes = (modern && !sharded) || (!modern && row.precision.starts_with("bf16")) ? 4 : 2;
  // GPT models of that time shared the weights of embedding and head.
  plan.tied_embeddings = !modern;
  plan.domain_devices = result.cluster.node_devices;
  // Where a table leaves the micro-batch or the interleaving open, the fastest of these stands for it.
  const std::vector<double> sizes = row.micro_batch ? std::vector{*row.micro_batch} : std::vector{1.0, 2.0, 4.0, 8.0};
  const std::vector<double> chunks = open_interleaves(plan);
  for (const double size : sizes) {
    for (const double one : chunks) {
      plan.job.micro_batch = size;
      plan.job.interleave = one;
      plan.overlap.messages = modern && one > 1;
      if (plan.job.micro_batches() <= kMostMicroBatchesOfRow && !find_plan_violation(plan))
        result.plans.push_back(plan);
    }
  }
  return result;
}

std::string schedule_kind(const StepPlan& plan) {
  if (plan.software == Software::pytorch_fsdp) return "schedule fsdp iteration_time";
  if (is_early(plan.software)) return "schedule megatron iteration_time";
  const std::string_view software = kSoftwareNames[static_cast<std::size_t>(plan.software)];
  return fmt::format("schedule {}{} iteration_time", software, plan.model.experts ? " experts" : "");
}

namespace {

using machine::DataType;
using Row = BacktestRow;

constexpr double kPaddedGpt2Vocabulary = 51200;  // what Megatron makes of GPT-2's 50,257

/// The shortest step over the sizes of micro-batch that the row leaves open.
std::optional<double> best_over_micro_batches(const Row& row, ParallelJob job,
                                              const std::function<double(const ParallelJob&)>& seconds) {
  if (row.micro_batch) return seconds(job);
  std::optional<double> best;
  // The same sizes as row_plans() tries.
  for (const double size : {1.0, 2.0, 4.0, 8.0}) {
    if (std::fmod(job.global_batch, size * job.data) != 0) continue;
    job.micro_batch = size;
    const double time = seconds(job);
    best = best ? std::min(*best, time) : time;
  }
  if (best) return best;
  job.micro_batch = 1;
  return seconds(job);
}

std::optional<double> megatron_seconds(const Catalog& catalog, const Source& source, const machine::Device& device,
                                       const Row& row) {
  const MegatronFlavour* flavour = find_flavour(catalog.megatron, source.flavour);
  const Cluster* cluster = find_cluster(catalog, source.cluster);
  if (flavour == nullptr || cluster == nullptr) return std::nullopt;
  if (!row.has({&Row::layers, &Row::hidden, &Row::heads, &Row::ffn, &Row::vocabulary, &Row::global_batch}))
    return std::nullopt;
  const MegatronModel model{.layers = *row.layers,
                            .hidden = *row.hidden,
                            .heads = *row.heads,
                            .ffn = *row.ffn,
                            .vocabulary = *row.vocabulary,
                            .fp32_gradients = row.precision.starts_with("bf16")};
  return best_over_micro_batches(row, job_of(source, row), [&](const ParallelJob& job) {
    return megatron_step_seconds(device, catalog.megatron, *flavour, *cluster, model, job);
  });
}

std::optional<double> fsdp_seconds(const Catalog& catalog, const Source& source, const machine::Device& device,
                                   const Row& row) {
  if (!row.has({&Row::layers, &Row::hidden, &Row::heads, &Row::ffn, &Row::vocabulary, &Row::global_batch,
                &Row::micro_batch, &Row::devices}))
    return std::nullopt;
  const FsdpModel model{.style = BlockStyle::gpt,
                        .layers = *row.layers,
                        .hidden = *row.hidden,
                        .ffn = *row.ffn,
                        .heads = *row.heads,
                        .kv_width = *row.hidden,
                        .vocabulary = *row.vocabulary,
                        .mixed_precision = row.precision.starts_with("amp")};
  return fsdp_step_seconds(device, catalog.fsdp, model, job_of(source, row));
}

/// "tokens per step (524288)": the number in parentheses.
std::optional<double> tokens_in(const std::string& notes) {
  for (std::size_t open = notes.find('('); open != std::string::npos; open = notes.find('(', open + 1)) {
    std::string_view inside = std::string_view(notes).substr(open + 1);
    std::int64_t number = 0;
    if (take_number(inside, number) && inside.starts_with(')')) return static_cast<double>(number);
  }
  return std::nullopt;
}

std::optional<double> paired_seconds(const Catalog& catalog, const Source& source, const machine::Device& device,
                                     const Row& row) {
  if (!row.has({&Row::layers, &Row::hidden, &Row::heads, &Row::ffn})) return std::nullopt;
  ParallelJob job = job_of(source, row);
  job.sequence = row.sequence.value_or(source.sequence);
  job.micro_batch = row.micro_batch.value_or(1);
  job.global_batch =
      row.global_batch.value_or(std::floor(tokens_in(row.notes).value_or(source.step_tokens) / job.sequence));
  job.recomputation = Recomputation::none;
  const FsdpModel model{.style = BlockStyle::llama,
                        .layers = *row.layers,
                        .hidden = *row.hidden,
                        .ffn = *row.ffn,
                        .heads = *row.heads,
                        .kv_width = *row.hidden,
                        .vocabulary = row.vocabulary.value_or(source.vocabulary)};
  return pair_step_seconds(device, catalog.fsdp, catalog.pairs, model, job);
}

std::optional<double> core_seconds(const Catalog& catalog, const Source& source, const machine::Device& device,
                                   const Row& row) {
  if (!row.has({&Row::global_batch, &Row::devices})) return std::nullopt;
  const auto model = architecture_of(catalog, source, row);
  if (!model) return std::nullopt;
  CoreRun run{.precision = precision_called(source, row.precision),
              .release = release_in(row.notes).value_or(SoftwareRelease{}),
              .adapters_only = says_adapters(row.notes),
              .captured = usually_captured(device)};
  if (const CoreRecipe* recipe = recipe_of(catalog.core, model->name, device.name, run.precision, run.release)) {
    run.captured = recipe->captured;
    run.pairs = recipe->pairs;
  }
  return best_over_micro_batches(row, job_of(source, row), [&](const ParallelJob& job) {
    return core_step_seconds(device, catalog.core, *model, job, run);
  });
}

}  // namespace

/// "MXFP8", "FP8-CS", "NVFP4", "BF16": recipes of one width differ in scaling, not in speed.
DataType precision_called(const Source& source, std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (source.framework == Framework::nanotron || text.empty()) return source.precision;
  if (text.find("FP4") != std::string::npos) return DataType::fp4;
  return text.find("FP8") != std::string::npos ? DataType::fp8 : DataType::bf16;
}

namespace {

/// Columns do not tell how many matrices an MLP has, nor of experts or latent attention: the model's name may, and the
/// notes ("experts=8 top_k=2").
void add_what_shapes_leave_open(const Catalog& catalog, const Row& row, Architecture& model) {
  const Architecture* known = known_architecture(catalog.architectures, row.model);
  if (known != nullptr && known->hidden == model.hidden) {
    model.plain_mlp = known->plain_mlp;
    model.head_size = known->head_size;
    model.experts = known->experts;
    model.latent_attention = known->latent_attention;
  }
  const auto number = [&](std::string_view key) { return parse_finite(noted(row.notes, key)).value_or(0); };
  const double experts = number("experts"), chosen = number("top_k");
  if (experts >= 1 && chosen >= 1 && !model.experts)
    model.experts = Experts{.count = experts, .chosen = chosen, .ffn = model.ffn};
}

}  // namespace

std::optional<Architecture> architecture_of(const Catalog& catalog, const Source& source, const Row& row) {
  std::optional<Architecture> model;
  if (row.has({&Row::layers, &Row::hidden, &Row::heads})) {
    model = Architecture{.name = row.model,
                         .layers = *row.layers,
                         .hidden = *row.hidden,
                         .heads = *row.heads,
                         .kv_heads = row.kv_heads.value_or(*row.heads),
                         .head_size = std::floor(*row.hidden / *row.heads),
                         // GPT's usual width of the MLP.
                         .ffn = row.ffn.value_or(4 * *row.hidden),
                         .vocabulary = row.vocabulary.value_or(kPaddedGpt2Vocabulary),
                         .plain_mlp = source.plain_mlp};
    add_what_shapes_leave_open(catalog, row, *model);
  } else {
    model = architecture_called(catalog.architectures, row.model);
  }
  if (model && row.model.find("w/o MTP") != std::string::npos) model->prediction_layers = 0;
  return model;
}

std::optional<EagerModel> eager_model_of(const Row& row) {
  if (!row.has({&Row::layers, &Row::hidden, &Row::heads, &Row::kv_heads, &Row::ffn, &Row::vocabulary, &Row::sequence}))
    return std::nullopt;
  return EagerModel{.style = row.model == "llama" ? BlockStyle::llama : BlockStyle::gpt,
                    .layers = *row.layers,
                    .hidden = *row.hidden,
                    .ffn = *row.ffn,
                    .heads = *row.heads,
                    .kv_width = std::floor(*row.kv_heads * *row.hidden / *row.heads),
                    .vocabulary = *row.vocabulary,
                    .sequence = *row.sequence};
}

std::optional<EagerTraining> eager_training_of(const Row& row) {
  if (!row.has({&Row::global_batch, &Row::micro_batch})) return std::nullopt;
  return EagerTraining{.global_batch = *row.global_batch,
                       .micro_batch = *row.micro_batch,
                       .mixed_precision = row.precision.starts_with("amp"),
                       .full_recomputation = row.recomputation == Recomputation::full};
}

ParallelJob job_of(const Source& source, const Row& row) {
  return {.sequence = row.sequence.value_or(0),
          .global_batch = row.global_batch.value_or(0),
          .micro_batch = row.micro_batch.value_or(0),
          .devices = row.devices.value_or(0),
          .tensor = row.tensor,
          .pipeline = row.pipeline,
          .data = row.data,
          .context = row.context,
          .expert = row.expert,
          .interleave = row.interleave.value_or(row.pipeline > 1 ? source.interleave : 1),
          .zero_stage = row.zero_stage,
          .sharded = row.sharded,
          .sequence_parallel = row.sequence_parallel,
          .recomputation = row.recomputation};
}

std::optional<double> row_step_seconds(const Catalog& catalog, const Source& source, const machine::Device& device,
                                       const Row& row) {
  if (!row.sequence && source.sequence == 0) return std::nullopt;
  switch (source.framework) {
    case Framework::eager:  // one device, answered with its memory by backtest.cc
    case Framework::nemo:   // known by their schedules alone
    case Framework::nanotron: return std::nullopt;
    case Framework::megatron: return megatron_seconds(catalog, source, device, row);
    case Framework::fsdp: return fsdp_seconds(catalog, source, device, row);
    case Framework::paired_devices: return paired_seconds(catalog, source, device, row);
    case Framework::megatron_core: break;
  }
  return core_seconds(catalog, source, device, row);
}

}  // namespace orrery::llm
