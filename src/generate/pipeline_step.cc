#include "generate/pipeline_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "generate/pattern_workload.h"
#include "graph/graph.h"
#include "workload/chain_builder.h"

// A stage is a chain of activities: turns in 1F1B order, each a pass over its layers with Megatron's all-reduces, and
// messages to the neighbours. Reductions of gradients stand beside the chain and meet it at the norm. Steps are made
// one at a time, so that a long run takes the memory of one.

namespace orrery::generate {
namespace {

using workload::ActivityKind;

constexpr std::uint32_t kMostPasses = 1u << 20;
constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 30;  // so that activities are counted with 64 bits
constexpr std::int64_t kActivationTag = 0, kGradientTag = 1;
constexpr std::int64_t kNormBytes = 4;

Status check(const PipelineStep& step) {
  const std::uint64_t ranks = std::uint64_t{step.tensor_parallel} * step.data_parallel;
  if (ranks < 1 || ranks > kMaxRanks || step.pipeline_parallel < 1 || ranks * step.pipeline_parallel > kMaxRanks) {
    return Error{fmt::format("{} x {} x {} ranks", step.tensor_parallel, step.data_parallel, step.pipeline_parallel)};
  }
  if (step.layers < 1 || step.layers > kMostPasses || step.layers % step.pipeline_parallel != 0)
    return Error{fmt::format("{} layers cannot be split into {} stages", step.layers, step.pipeline_parallel)};
  if (step.microbatches < 1 || step.microbatches > kMostPasses)
    return Error{fmt::format("{} microbatches", step.microbatches)};
  if (step.kernels_per_layer < 2 || step.kernels_per_layer > kMostPasses || step.kernels_per_layer % 2 != 0)
    return Error{
        fmt::format("{} kernels per layer: half of them are attention's, so an even number", step.kernels_per_layer)};
  if (step.steps < 1 || step.steps > kMostSteps) return Error{fmt::format("{} steps", step.steps)};
  for (const TimePs time : {step.forward_ps, step.optimizer_ps}) {
    if (time < 0 || time > graph::kMaxWeightPs) return Error{fmt::format("a duration of {} ps", time)};
  }
  for (const std::int64_t bytes : {step.activation_bytes, step.gradient_bytes}) {
    if (bytes < 0 || bytes > (std::int64_t{1} << 40)) return Error{fmt::format("a size of {} bytes", bytes)};
  }
  return {};
}

struct RoleNames {
  StringId tensor, data, pipeline, model;
};

/// What one stage does in one step.
class Stage {
 public:
  /// `first_id`: how many activities the stage had in the steps before; `before`: the last of them that this step waits
  /// for.
  Stage(const PipelineStep& step, std::uint32_t stage, Interner& strings, const RoleNames& roles,
        std::uint64_t first_id, std::optional<std::uint64_t> before)
      : step_(step),
        strings_(strings),
        roles_(roles),
        stage_(stage),
        layers_(step.layers / step.pipeline_parallel),
        chain_(first_id, before) {}

  Result<workload::Window> build() {
    const std::uint32_t later_stages = step_.pipeline_parallel - 1 - stage_;
    for (const workload::PipelineTurn& turn : workload::one_forward_one_backward(step_.microbatches, later_stages)) {
      if (turn.is_forward) run_forward();
      else run_backward(turn.number);
    }
    end_step();
    return std::move(chain_).window();
  }
  /// After build(): what the next step waits for.
  [[nodiscard]] std::optional<std::uint64_t> last() const { return chain_.chain(); }

 private:
  [[nodiscard]] bool is_first() const { return stage_ == 0; }
  [[nodiscard]] bool is_last() const { return stage_ + 1 == step_.pipeline_parallel; }

  std::uint64_t add(workload::Activity activity, std::string_view name, bool in_chain) {
    activity.name = strings_.intern(name);
    return chain_.append(activity, in_chain);
  }

  void compute(std::string_view name, TimePs duration) {
    add({.kind = ActivityKind::compute, .duration_ps = duration}, name, true);
  }

  std::uint64_t all_reduce(std::string_view name, std::int64_t bytes, StringId role, bool in_chain) {
    return add(
        {.kind = ActivityKind::collective, .flags = workload::activity::kHasBytes, .bytes = bytes, .group_name = role},
        name, in_chain);
  }

  void message(std::string_view name, ActivityKind kind, std::int32_t places, std::int64_t tag) {
    add({.kind = kind,
         .flags = workload::activity::kHasBytes | workload::activity::kHasPeer | workload::activity::kHasTag,
         .bytes = step_.activation_bytes,
         .peer = places,
         .peer_role = roles_.pipeline,
         .tag = tag},
        name, kind == ActivityKind::recv);
  }

  void half_layer(std::string_view name, std::string_view reduced, std::uint32_t kernels) {
    const TimePs duration = step_.forward_ps / step_.kernels_per_layer;
    for (std::uint32_t i = 0; i < kernels; ++i) compute(name, duration);
    // Megatron's two all-reduces per layer and pass: behind attention, and behind the MLP.
    if (step_.tensor_parallel > 1) all_reduce(reduced, step_.activation_bytes, roles_.tensor, true);
  }

  void run_forward() {
    if (!is_first()) message("recv activations", ActivityKind::recv, -1, kActivationTag);
    for (std::uint32_t layer = 0; layer < layers_; ++layer) {
      half_layer("forward attention", "forward attention output", step_.kernels_per_layer / 2);
      half_layer("forward mlp", "forward mlp output", step_.kernels_per_layer / 2);
    }
    if (!is_last()) message("send activations", ActivityKind::send, 1, kActivationTag);
  }

  void run_backward(std::uint32_t microbatch) {
    if (!is_last()) message("recv gradients", ActivityKind::recv, 1, kGradientTag);
    for (std::uint32_t layer = layers_; layer-- > 0;) {
      // Backward does twice the work of forward: gradients of inputs and of weights.
      half_layer("backward mlp", "backward mlp input", step_.kernels_per_layer);
      half_layer("backward attention", "backward attention input", step_.kernels_per_layer);
      if (microbatch + 1 == step_.microbatches) reduce_gradients(layer);
    }
    if (!is_first()) message("send gradients", ActivityKind::send, -1, kGradientTag);
  }

  // Beside the chain: only the norm of the gradients waits for it.
  void reduce_gradients(std::uint32_t layer) {
    if (step_.data_parallel < 2) return;
    reductions_.push_back(all_reduce(fmt::format("gradients of layer {}", stage_ * layers_ + layer),
                                     step_.gradient_bytes, roles_.data, false));
  }

  void end_step() {
    // The norm is over everything that holds another part of the model.
    const bool has_norm = std::uint64_t{step_.tensor_parallel} * step_.pipeline_parallel > 1;
    if (has_norm) all_reduce("gradient norm", kNormBytes, roles_.model, true);
    // One rank has all: a point in time that the reductions meet at.
    else compute("gradient norm", 0);
    for (const std::uint64_t reduction : reductions_) chain_.depend(reduction);
    if (step_.optimizer_ps > 0) compute("optimizer", step_.optimizer_ps);
  }

  const PipelineStep& step_;
  Interner& strings_;
  const RoleNames& roles_;
  const std::uint32_t stage_, layers_;
  workload::ChainBuilder chain_;
  std::vector<std::uint64_t> reductions_;
};

class PipelineSource : public workload::WorkloadSource {
 public:
  explicit PipelineSource(const PipelineStep& step) : step_(step) {
    names_ = {job_.strings.intern("tensor"), job_.strings.intern("data"), job_.strings.intern("pipeline"),
              job_.strings.intern("model")};
    const workload::Axis tensor{step.tensor_parallel, 1}, data{step.data_parallel, step.tensor_parallel},
        pipeline{step.pipeline_parallel, step.tensor_parallel * step.data_parallel};
    job_.roles = {{names_.tensor, {tensor}},
                  {names_.data, {data}},
                  {names_.pipeline, {pipeline}},
                  {names_.model, {tensor, pipeline}}};
    for (std::uint32_t stage = 0; stage < step.pipeline_parallel; ++stage)
      job_.program_of_rank.resize(job_.program_of_rank.size() + pipeline.stride, stage);
    stages_.resize(step.pipeline_parallel);
  }

  /// Every step is like the first: what that speaks to, and how much it does, says it of all.
  Status announce() {
    for (std::uint32_t stage = 0; stage < stages_.size(); ++stage) {
      Result<std::optional<workload::Window>> first = next_window(stage);
      if (!first) return std::move(first.error());
      workload::ProgramStructure structure = structure_of(lines_of(job_, *(*first)->program));
      structure.length->activities *= step_.steps;
      structure.length->sends *= step_.steps;
      for (std::uint64_t& collectives : structure.length->collectives) collectives *= step_.steps;
      structures_.push_back(std::move(structure));
    }
    restart();
    return {};
  }

  [[nodiscard]] const workload::Workload& job() const override { return job_; }
  [[nodiscard]] std::uint32_t program_count() const override { return static_cast<std::uint32_t>(stages_.size()); }
  [[nodiscard]] const workload::ProgramStructure& structure(std::uint32_t program) const override {
    return structures_[program];
  }
  void restart() override { stages_.assign(stages_.size(), Progress()); }

  Result<std::optional<workload::Window>> next_window(std::uint32_t program) override {
    Progress& progress = stages_[program];
    if (progress.steps == step_.steps) return std::optional<workload::Window>();
    Stage stage(step_, program, job_.strings, names_, progress.activities, progress.last);
    Result<workload::Window> window = stage.build();
    if (!window) return std::move(window.error());
    ++progress.steps;
    progress.activities += window->program->size();
    progress.last = stage.last();
    return std::optional<workload::Window>(std::move(*window));
  }

 private:
  /// Of one stage, so far.
  struct Progress {
    std::uint64_t steps = 0, activities = 0;
    std::optional<std::uint64_t> last;
  };

  PipelineStep step_;
  workload::Workload job_;
  RoleNames names_{};
  std::vector<Progress> stages_;
  std::vector<workload::ProgramStructure> structures_;
};

}  // namespace

Result<std::unique_ptr<workload::WorkloadSource>> pipeline_source(const PipelineStep& step) {
  if (const Status checked = check(step); !checked) return checked.error();
  auto source = std::make_unique<PipelineSource>(step);
  if (const Status announced = source->announce(); !announced) return announced.error();
  return std::unique_ptr<workload::WorkloadSource>(std::move(source));
}

Result<workload::Workload> pipeline_step(const PipelineStep& step) {
  Result<std::unique_ptr<workload::WorkloadSource>> source = pipeline_source(step);
  if (!source) return std::move(source.error());
  return workload::collect(**source);
}

}  // namespace orrery::generate
