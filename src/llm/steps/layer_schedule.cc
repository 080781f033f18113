#include "llm/steps/layer_schedule.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "llm/kernels/kernel_list.h"

// A pass is written layer by layer: parameters that have to come together first, one layer ahead of the computing; the
// layer's own items; and gradients in buckets as soon as they are whole. The ends of the model are in the first and the
// last part. ZeRO stages differ only in what is gathered and reduced when.

namespace orrery::llm {
namespace {

using workload::Collective;

constexpr double kNormBytes = 4;  // one number: the sum of all squares
constexpr double kLossBytes = 8;  // per token: the largest logit, and the sum of exponentials

/// The ends of the model: embedding, head and loss.
class ModelEnds {
 public:
  ModelEnds(const StepTimes& times, LayerWriter& writer)
      : times_(times), writer_(writer), heads_(static_cast<std::uint32_t>(1 + writer.plan().model.prediction_layers)) {}

  void embedding_forward() {
    writer_.compute({.what = "embedding forward"}, times_.embedding.forward);
    writer_.sum_hidden({.what = "embedding output"});
  }
  void embedding_backward() {
    gather_tokens({.what = "embedding gradient"});
    writer_.compute({.what = "embedding backward"}, times_.embedding.backward());
  }
  void head_forward() {
    for (std::uint32_t i = 0; i < heads_; ++i) {
      gather_tokens({.what = "head input"});
      writer_.compute({.what = "head forward"}, times_.head.forward);
      writer_.collective({.what = "loss"}, Collective::all_reduce, ParallelAxis::tensor,
                         kLossBytes * writer_.plan().tokens());
    }
  }
  void head_backward(bool with_weights) {
    for (std::uint32_t i = 0; i < heads_; ++i) {
      writer_.compute({.what = "head backward"},
                      times_.head.input_gradient + (with_weights ? times_.head.weight_gradient : 0));
      writer_.sum_hidden({.what = "head gradient"});
    }
  }
  void head_weights() {
    for (std::uint32_t i = 0; i < heads_; ++i) writer_.compute({.what = "head weights"}, times_.head.weight_gradient);
  }

 private:
  void gather_tokens(const ItemName& label) {
    const ParallelJob& job = writer_.plan().job;
    if (job.sequence_parallel)
      writer_.collective(label, Collective::all_gather, ParallelAxis::tensor, writer_.hidden_bytes() / job.tensor);
  }

  const StepTimes& times_;
  LayerWriter& writer_;
  const std::uint32_t heads_;  // each layer of multi-token prediction has one of its own
};

RankParameters parameters_of_layer(const StepPlan& plan, std::uint32_t layer) {
  return layer_model(plan, layer).parameters(plan, layer);
}

void write_layer(LayerWriter& writer, const LayerTimes& times, std::uint32_t layer, Pass pass) {
  const StepPlan& plan = writer.plan();
  const LayerModel& model = layer_model(plan, layer);
  if (pass == Pass::forward) return model.forward(writer, times, layer, "forward", &PassTimes::forward);
  if (pass == Pass::weight_gradient) return model.weight_gradient(writer, times, layer);
  if (plan.job.recomputation == Recomputation::full)
    model.forward(writer, times, layer, "again", &PassTimes::recomputed);
  model.backward(writer, times, layer, plan.order != PipelineOrder::zero_bubble);
}

/// Reduces what layers add to gradients in buckets, and gathers parameters that ranks share.
class SharedParameters {
 public:
  SharedParameters(const StepPlan& plan, LayerWriter& writer) : plan_(plan), writer_(writer) {}

  [[nodiscard]] bool are_gathered_per_pass() const { return plan_.job.zero_stage >= 3; }

  /// Where both communicators work, both are to be waited for.
  std::array<std::int32_t, 2> gather(const ItemName& label, const RankParameters& of, bool joins) {
    const double data = ranks_along(plan_, ParallelAxis::data), copies = ranks_along(plan_, ParallelAxis::expert_data);
    return {writer_.collective(label, Collective::all_gather, ParallelAxis::data, kElementBytes * of.replicated / data,
                               joins),
            writer_.collective(label.with("of experts"), Collective::all_gather, ParallelAxis::expert_data,
                               kElementBytes * of.experts / copies, joins)};
  }

  void add(const RankParameters& of) {
    waiting_ += of;
    const double bytes = plan_.gradient_bytes * (waiting_.replicated + waiting_.experts);
    // Without a size of buckets every layer is one.
    if (bytes >= std::max(1.0, plan_.bucket_bytes)) reduce_waiting();
  }
  void reduce_waiting() {
    reduce(waiting_, false);
    waiting_ = {};
  }
  void reduce(const RankParameters& of, bool joins) {
    const auto kind = plan_.job.zero_stage >= 1 ? Collective::reduce_scatter : Collective::all_reduce;
    writer_.collective({.what = "gradients"}, kind, ParallelAxis::data, plan_.gradient_bytes * of.replicated, joins);
    writer_.collective({.what = "gradients of experts"}, kind, ParallelAxis::expert_data,
                       plan_.gradient_bytes * of.experts, joins);
  }

 private:
  const StepPlan& plan_;
  LayerWriter& writer_;
  RankParameters waiting_;
};

/// Whether parameters come together under the first forward pass.
bool gathers_at_first(const StepPlan& plan) {
  return !plan.adapters_only && plan.job.zero_stage >= 1 && plan.job.zero_stage < 3 && plan.overlap.parameters;
}

/// The layers of a part in the order in which a pass goes through them.
std::vector<std::uint32_t> layers_of(const StepPlan& plan, const PartPass& place) {
  std::vector<std::uint32_t> layers;
  for (std::uint32_t layer = plan.first_layer(place.part); layer < plan.first_layer(place.part + 1); ++layer)
    layers.push_back(layer);
  if (place.pass != Pass::forward) std::reverse(layers.begin(), layers.end());
  return layers;
}

}  // namespace

RankParameters part_parameters(const StepPlan& plan, std::uint32_t part) {
  RankParameters sum;
  for (std::uint32_t layer = plan.first_layer(part); layer < plan.first_layer(part + 1); ++layer)
    sum += parameters_of_layer(plan, layer);
  if (part == 0) sum.replicated += layer_model(plan).embedding_parameters(plan);
  // Tied weights are there twice, unless both ends of the model are on one rank.
  if (part + 1 == plan.parts() && !(plan.tied_embeddings && plan.parts() == 1))
    sum.replicated += plan.model.vocabulary * plan.model.hidden / plan.job.tensor;
  return sum;
}

std::int64_t LayerSchedules::message_bytes() const {
  // Under sequence parallelism a rank has its share alone; Megatron-LM sends a share of what all have, and gathers
  // behind.
  const bool split = plan_.job.sequence_parallel || plan_.software == Software::megatron_lm_2021 ||
                     plan_.software == Software::megatron_lm_2022;
  const double bytes = kElementBytes * plan_.tokens() * plan_.model.hidden / (split ? plan_.job.tensor : 1);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::llround(bytes)));
}

LayerSchedule LayerSchedules::make(const PartPass& place) const {
  LayerSchedule schedule;
  LayerWriter writer(plan_, schedule);
  SharedParameters shared(plan_, writer);
  const bool is_first_part = place.part == 0, is_last_part = place.part + 1 == plan_.parts();
  const bool with_weights = plan_.order != PipelineOrder::zero_bubble;
  ModelEnds ends(times_, writer);
  const double software = times_.chunk + (place.part < plan_.stages() ? times_.micro_batch : 0);
  if (place.pass == Pass::forward && software > 0) writer.compute({.what = "micro-batch"}, software);
  if (place.pass == Pass::forward && is_first_part) ends.embedding_forward();
  if (place.pass == Pass::backward && is_last_part) ends.head_backward(with_weights);
  if (place.pass == Pass::weight_gradient && is_last_part) ends.head_weights();

  const std::vector<std::uint32_t> layers = layers_of(plan_, place);
  const bool each_pass = shared.are_gathered_per_pass() && place.pass != Pass::weight_gradient;
  const bool at_first = gathers_at_first(plan_) && place.pass == Pass::forward && place.is_first;
  const bool adds_gradients = place.pass == Pass::weight_gradient || (place.pass == Pass::backward && with_weights);
  // ZeRO-2 and 3 keep no whole gradients from one micro-batch to the next.
  const bool reduces = adds_gradients && !plan_.adapters_only &&
                       (plan_.job.zero_stage >= 2 || (place.is_last && plan_.overlap.gradients));
  std::vector<std::array<std::int32_t, 2>> gathered(layers.size(), {-1, -1});
  const auto gather = [&](std::size_t i) {
    if (i < layers.size())
      gathered[i] = shared.gather(ItemName{static_cast<std::int32_t>(layers[i]), "parameters"},
                                  parameters_of_layer(plan_, layers[i]), false);
  };
  // One layer ahead: the next one's parameters travel while this one computes.
  if (each_pass) gather(0);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (each_pass) gather(i + 1);  // while this layer computes
    for (const std::int32_t item : gathered[i]) writer.wait_for(item);
    if (at_first) writer.need(layers[i]);
    write_layer(writer, times_.layer, layers[i], place.pass);
    if (reduces) shared.add(parameters_of_layer(plan_, layers[i]));
  }
  if (place.pass == Pass::forward && is_last_part) ends.head_forward();
  if (place.pass == Pass::backward && is_first_part) ends.embedding_backward();
  if (reduces) {
    const RankParameters whole = part_parameters(plan_, place.part);
    double layers_only = 0;
    for (const std::uint32_t layer : layers) layers_only += parameters_of_layer(plan_, layer).replicated;
    // What the part has beyond its layers.
    // Embedding or head, whichever the part has, come last.
    shared.add({.replicated = whole.replicated - layers_only});
    shared.reduce_waiting();
  }
  writer.settle();
  return schedule;
}

LayerSchedule LayerSchedules::begin_of_step(std::uint32_t stage) const {
  LayerSchedule schedule;
  if (!gathers_at_first(plan_)) return schedule;
  LayerWriter writer(plan_, schedule);
  SharedParameters shared(plan_, writer);
  for (std::uint32_t chunk = 0; chunk < plan_.chunks(); ++chunk) {
    const std::uint32_t part = chunk * plan_.stages() + stage;
    for (std::uint32_t layer = plan_.first_layer(part); layer < plan_.first_layer(part + 1); ++layer)
      shared.gather({static_cast<std::int32_t>(layer), "parameters"}, parameters_of_layer(plan_, layer), false);
  }
  return schedule;
}

LayerSchedule LayerSchedules::end_of_step(std::uint32_t stage) const {
  LayerSchedule schedule;
  LayerWriter writer(plan_, schedule);
  SharedParameters shared(plan_, writer);
  RankParameters all;  // that are trained
  for (std::uint32_t chunk = 0; chunk < plan_.chunks() && !plan_.adapters_only; ++chunk)
    all += part_parameters(plan_, chunk * plan_.stages() + stage);
  if (plan_.job.zero_stage < 2 && !plan_.overlap.gradients) shared.reduce(all, true);
  writer.collective({.what = "gradient norm"}, Collective::all_reduce, ParallelAxis::model, kNormBytes);
  const bool sharded = plan_.job.zero_stage >= 1;
  // A sharded optimizer updates its own part.
  const double updated = all.replicated / (sharded ? ranks_along(plan_, ParallelAxis::data) : 1) +
                         all.experts / (sharded ? ranks_along(plan_, ParallelAxis::expert_data) : 1);
  writer.compute({.what = "optimizer"}, times_.optimizer_per_parameter * updated);
  writer.compute({.what = "host"}, times_.step);
  if (plan_.job.zero_stage >= 1 && plan_.job.zero_stage < 3 && !plan_.overlap.parameters)
    shared.gather({.what = "parameters"}, all, true);
  return schedule;
}

}  // namespace orrery::llm
