#include "llm/steps/passage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "llm/kernels/kernel_list.h"
#include "llm/steps/lstm.h"

namespace orrery::llm {
namespace {

using workload::Collective;

constexpr double kNormBytes = 4;
constexpr double kLossBytes = 8;  // per token: the largest logit, and the sum of exponentials
constexpr double kExpertTokenShare =
    0.75;  // of 16 bits that a token takes on its way to and from experts in 8: one way each

constexpr std::array<std::int32_t, 3> kNothing = {-1, -1, -1};  // to wait for

TimePs to_ps(double seconds) { return static_cast<TimePs>(std::llround(seconds * 1e12)); }
std::int64_t to_bytes(double bytes) { return static_cast<std::int64_t>(std::llround(bytes)); }

/// Appends pieces to a passage.
class PassageWriter {
 public:
  PassageWriter(const StepPlan& plan, const StepTimes& times, Passage& passage)
      : plan_(plan), times_(times), passage_(passage) {}

  void forward(std::uint32_t layer) {
    attention_forward(layer, "forward", &PassTimes::forward);
    if (plan_.has_experts(layer)) experts_forward(layer, "forward", &PassTimes::forward);
    else half(name(layer, plain_name(), "forward"), plain(layer).forward);
  }

  void backward(std::uint32_t layer, bool with_weights) {
    if (plan_.job.recomputation == Recomputation::full) {
      attention_forward(layer, "again", &PassTimes::recomputed);
      if (plan_.has_experts(layer)) experts_forward(layer, "again", &PassTimes::recomputed);
      else half(name(layer, plain_name(), "again"), plain(layer).recomputed);
    }
    if (plan_.has_experts(layer)) experts_backward(layer, with_weights);
    else mlp_backward(name(layer, plain_name(), "backward"), plain(layer), with_weights);
    attention_backward(layer, with_weights);
  }

  void weight_gradient(std::uint32_t layer) {
    double seconds =
        times_.layer.queries.weight_gradient + times_.layer.core.weight_gradient + times_.layer.output.weight_gradient;
    if (!plan_.has_experts(layer)) seconds += plain(layer).weight_gradient;
    else
      seconds += times_.layer.router.weight_gradient + times_.layer.experts.weight_gradient +
                 times_.layer.shared_expert.weight_gradient;
    if (plan_.job.sequence_parallel) {
      const bool both = !plan_.has_experts(layer);
      collective(name(layer, "weights", "").with("tokens"), Collective::all_gather, ParallelAxis::tensor,
                 (both ? 2 : 1) * hidden_bytes() / plan_.job.tensor);
    }
    compute(name(layer, "weights", ""), seconds);
  }

  void embedding_forward() {
    compute({.what = "embedding forward"}, times_.embedding.forward);
    if (plan_.job.sequence_parallel)
      collective({.what = "embedding output"}, Collective::reduce_scatter, ParallelAxis::tensor, hidden_bytes());
    else collective({.what = "embedding output"}, Collective::all_reduce, ParallelAxis::tensor, hidden_bytes());
  }
  void embedding_backward() {
    if (plan_.job.sequence_parallel)
      collective({.what = "embedding gradient"}, Collective::all_gather, ParallelAxis::tensor,
                 hidden_bytes() / plan_.job.tensor);
    compute({.what = "embedding backward"}, times_.embedding.backward());
  }
  void head_forward(std::uint32_t heads) {
    for (std::uint32_t i = 0; i < heads; ++i) {
      if (plan_.job.sequence_parallel)
        collective({.what = "head input"}, Collective::all_gather, ParallelAxis::tensor,
                   hidden_bytes() / plan_.job.tensor);
      compute({.what = "head forward"}, times_.head.forward);
      collective({.what = "loss"}, Collective::all_reduce, ParallelAxis::tensor, kLossBytes * plan_.tokens());
    }
  }
  void head_backward(std::uint32_t heads, bool with_weights) {
    for (std::uint32_t i = 0; i < heads; ++i) {
      compute({.what = "head backward"}, times_.head.input_gradient + (with_weights ? times_.head.weight_gradient : 0));
      collective({.what = "head gradient"},
                 plan_.job.sequence_parallel ? Collective::reduce_scatter : Collective::all_reduce,
                 ParallelAxis::tensor, hidden_bytes());
    }
  }
  void head_weights(std::uint32_t heads) {
    for (std::uint32_t i = 0; i < heads; ++i) compute({.what = "head weights"}, times_.head.weight_gradient);
  }

  void compute(PieceName label, double seconds) {
    const TimePs duration = to_ps(seconds);
    if (duration <= 0 && waits_[0] < 0) return;
    passage_.push_back({.name = label, .waits_for = waits_, .needs_layer = needs_layer_, .duration_ps = duration});
    waits_ = kNothing;
    needs_layer_ = -1;
  }
  /// Returns its place, or -1 where there is nobody to talk to.
  std::int32_t collective(PieceName label, Collective kind, ParallelAxis axis, double bytes, bool joins = true) {
    const std::int64_t size = to_bytes(bytes);
    if (ranks_along(plan_, axis) < 2 || size <= 0) return -1;
    passage_.push_back(
        {.name = label, .is_collective = true, .joins = joins, .collective = kind, .axis = axis, .bytes = size});
    passage_.back().waits_for = waits_;
    if (!joins) return static_cast<std::int32_t>(passage_.size()) - 1;
    waits_ = kNothing;
    passage_.back().needs_layer = needs_layer_;
    needs_layer_ = -1;
    return static_cast<std::int32_t>(passage_.size()) - 1;
  }
  /// The next piece of the chain waits for this one, too; -1: there is none.
  void wait_for(std::int32_t piece) {
    if (piece < 0) return;
    // At most three at once: the sum of the layer before, and its parameters from two groups.
    *std::find(waits_.begin(), waits_.end() - 1, -1) = piece;
  }
  /// The next piece of the chain needs the parameters of a layer, which were asked for when the step began.
  void need(std::uint32_t layer) { needs_layer_ = static_cast<std::int32_t>(layer); }
  /// Before the passage ends: nothing is left to wait for.
  void settle() {
    if (waits_[0] >= 0) compute({.what = "wait"}, 0);
  }

 private:
  static PieceName name(std::uint32_t layer, std::string_view what, std::string_view pass) {
    return {static_cast<std::int32_t>(layer), what, pass};
  }
  /// What a layer without experts has besides attention: an MLP, or the cells of an LSTM.
  [[nodiscard]] const PassTimes& plain(std::uint32_t layer) const {
    return plan_.lstm && layer == 0 ? times_.layer.first_cells : times_.layer.mlp;
  }
  [[nodiscard]] std::string_view plain_name() const { return plan_.lstm ? "cells" : "mlp"; }
  [[nodiscard]] double hidden_bytes() const { return kElementBytes * plan_.tokens() * plan_.model.hidden; }
  /// Keys and values of the tokens of one rank of a context group.
  [[nodiscard]] double key_bytes() const {
    const Architecture& m = plan_.model;
    const double width = m.latent_attention ? m.latent_attention->key_value_rank + m.latent_attention->rotary_size
                                            : 2 * m.kv_width() / std::min(plan_.job.tensor, m.kv_heads);
    return kElementBytes * plan_.tokens() * width;
  }
  /// How often a token is sent: once per chosen expert; of several domains, once per domain that has one of them.
  [[nodiscard]] double copies() const {
    const double chosen = plan_.model.experts->chosen;
    const double domains = plan_.domain_devices > 0 ? plan_.job.expert / plan_.domain_devices : 1;
    if (domains <= 1) return chosen;
    return domains_reached(*plan_.model.experts, domains);
  }
  [[nodiscard]] double routed_bytes() const {
    const double share =
        plan_.precision == machine::DataType::fp8 || plan_.precision == machine::DataType::fp4 ? kExpertTokenShare : 1;
    return share * kElementBytes * plan_.tokens() / plan_.job.tensor * copies() * plan_.model.hidden;
  }
  /// What is recomputed a little is part of the backward pass; what is recomputed whole is a forward pass of its own.
  [[nodiscard]] double backward_seconds(const PassTimes& times) const {
    return times.input_gradient + (plan_.job.recomputation == Recomputation::full ? 0 : times.recomputed);
  }

  /// Gathers tokens, computes, and scatters the sums: what sequence parallelism does around both halves of a layer; in
  /// parts, where they are to overlap one another.
  void half(const PieceName& label, double seconds) {
    if (plan_.job.tensor < 2) return compute(label, seconds);
    if (!plan_.job.sequence_parallel) {
      compute(label, seconds);
      collective(label.with("sum"), Collective::all_reduce, ParallelAxis::tensor, hidden_bytes());
      return;
    }
    const auto parts = static_cast<std::uint32_t>(plan_.overlap.tensor_parts);
    const double share = 1.0 / parts;
    std::vector<std::int32_t> gathered;
    for (std::uint32_t i = 0; i < parts; ++i) {
      gathered.push_back(collective(label.with("tokens"), Collective::all_gather, ParallelAxis::tensor,
                                    hidden_bytes() * share / plan_.job.tensor, parts == 1));
    }
    for (std::uint32_t i = 0; i < parts; ++i) {
      if (parts > 1) wait_for(gathered[i]);
      compute(label, seconds * share);
      collective(label.with("sum"), Collective::reduce_scatter, ParallelAxis::tensor, hidden_bytes() * share,
                 i + 1 == parts);
    }
  }

  /// While the gradient of the half's input is summed over the ranks, that of its first matrix is computed
  /// (`overlapped`), for which the tokens of all ranks are gathered again, beside the rest.
  void half_backward(const PieceName& label, double seconds, double overlapped) {
    if (plan_.job.tensor < 2) return compute(label, seconds + overlapped);
    std::int32_t tokens = -1;
    if (plan_.job.sequence_parallel) {
      const double share = hidden_bytes() / plan_.job.tensor;
      collective(label.with("gradients"), Collective::all_gather, ParallelAxis::tensor, share);
      if (overlapped > 0)
        tokens = collective(label.with("tokens"), Collective::all_gather, ParallelAxis::tensor, share, false);
    }
    compute(label, seconds);
    const auto kind = plan_.job.sequence_parallel ? Collective::reduce_scatter : Collective::all_reduce;
    const std::int32_t sum = collective(label.with("sum"), kind, ParallelAxis::tensor, hidden_bytes(), overlapped <= 0);
    if (overlapped <= 0) return;
    wait_for(tokens);
    compute(label.with("weights"), overlapped);
    wait_for(sum);
  }

  void mlp_backward(const PieceName& label, const PassTimes& times, bool with_weights) {
    const double weights = with_weights ? times.weight_gradient : 0;
    const double first = plan_.model.plain_mlp ? 1.0 / 2 : 2.0 / 3;  // of the matrices, the first: gate and up are one
    half_backward(label, backward_seconds(times) + (1 - first) * weights, first * weights);
  }

  void attention_forward(std::uint32_t layer, std::string_view pass, double PassTimes::*time) {
    const LayerTimes& t = times_.layer;
    const PieceName label = name(layer, "attention", pass);
    if (plan_.job.context < 2) return half(label, t.queries.*time + t.core.*time + t.output.*time);
    if (plan_.job.sequence_parallel)
      collective(label.with("tokens"), Collective::all_gather, ParallelAxis::tensor, hidden_bytes() / plan_.job.tensor);
    compute(name(layer, "queries", pass), t.queries.*time);
    collective(label.with("keys"), Collective::all_gather, ParallelAxis::context, key_bytes());
    compute(label, t.core.*time + t.output.*time);
    collective(label.with("sum"), plan_.job.sequence_parallel ? Collective::reduce_scatter : Collective::all_reduce,
               ParallelAxis::tensor, hidden_bytes());
  }

  void attention_backward(std::uint32_t layer, bool with_weights) {
    const LayerTimes& t = times_.layer;
    const PieceName label = name(layer, "attention", "backward");
    const double output_weights = with_weights ? t.output.weight_gradient : 0,
                 query_weights = with_weights ? t.queries.weight_gradient : 0;
    if (plan_.job.context < 2) {
      return half_backward(
          label, backward_seconds(t.queries) + backward_seconds(t.core) + backward_seconds(t.output) + output_weights,
          query_weights);
    }
    if (plan_.job.sequence_parallel)
      collective(label.with("tokens"), Collective::all_gather, ParallelAxis::tensor, hidden_bytes() / plan_.job.tensor);
    // Keys of other ranks were not kept.
    collective(label.with("keys"), Collective::all_gather, ParallelAxis::context, key_bytes());
    compute(label, backward_seconds(t.core) + backward_seconds(t.output) + output_weights);
    collective(label.with("key gradients"), Collective::reduce_scatter, ParallelAxis::context,
               key_bytes() * plan_.job.context);
    compute(name(layer, "queries", "backward"), backward_seconds(t.queries) + query_weights);
    collective(label.with("sum"), plan_.job.sequence_parallel ? Collective::reduce_scatter : Collective::all_reduce,
               ParallelAxis::tensor, hidden_bytes());
  }

  /// What every token passes is computed while the others are on their way to their experts.
  void experts_forward(std::uint32_t layer, std::string_view pass, double PassTimes::*time) {
    const LayerTimes& t = times_.layer;
    compute(name(layer, "router", pass), t.router.*time);
    const bool beside = t.shared_expert.*time > 0;
    const std::int32_t dispatched = collective(name(layer, "dispatch", pass), Collective::all_to_all,
                                               ParallelAxis::expert, routed_bytes(), !beside);
    if (beside) half(name(layer, "shared expert", pass), t.shared_expert.*time);
    if (beside) wait_for(dispatched);
    compute(name(layer, "experts", pass), t.experts.*time);
    collective(name(layer, "combine", pass), Collective::all_to_all, ParallelAxis::expert, routed_bytes());
  }

  void experts_backward(std::uint32_t layer, bool with_weights) {
    const LayerTimes& t = times_.layer;
    const auto seconds = [&](const PassTimes& times) {
      return backward_seconds(times) + (with_weights ? times.weight_gradient : 0);
    };
    const bool beside = t.shared_expert.forward > 0;
    const std::int32_t sent = collective(name(layer, "combine", "backward"), Collective::all_to_all,
                                         ParallelAxis::expert, routed_bytes(), !beside);
    if (beside) mlp_backward(name(layer, "shared expert", "backward"), t.shared_expert, with_weights);
    if (beside) wait_for(sent);
    compute(name(layer, "experts", "backward"), seconds(t.experts));
    collective(name(layer, "dispatch", "backward"), Collective::all_to_all, ParallelAxis::expert, routed_bytes());
    compute(name(layer, "router", "backward"), seconds(t.router));
  }

  const StepPlan& plan_;
  const StepTimes& times_;
  Passage& passage_;
  std::array<std::int32_t, 3> waits_ = kNothing;
  std::int32_t needs_layer_ = -1;
};

/// Parameters of one layer on one rank.
PartParameters layer_parameters(const StepPlan& plan, std::uint32_t layer) {
  if (plan.lstm) return {.replicated = cell_parameters(plan, layer)};
  const RankParameters of = rank_parameters(plan, plan.has_experts(layer));
  return {.replicated = of.attention + of.mlp, .experts = of.experts};
}

/// Reduces what layers add to gradients in buckets, and gathers parameters that ranks share.
class SharedParameters {
 public:
  SharedParameters(const StepPlan& plan, PassageWriter& writer) : plan_(plan), writer_(writer) {}

  [[nodiscard]] bool are_gathered_per_pass() const { return plan_.job.zero_stage >= 3; }

  /// Where both communicators work, both are to be waited for.
  std::array<std::int32_t, 2> gather(const PieceName& label, const PartParameters& of, bool joins) {
    const double data = ranks_along(plan_, ParallelAxis::data), copies = ranks_along(plan_, ParallelAxis::expert_data);
    return {writer_.collective(label, Collective::all_gather, ParallelAxis::data, kElementBytes * of.replicated / data,
                               joins),
            writer_.collective(label.with("of experts"), Collective::all_gather, ParallelAxis::expert_data,
                               kElementBytes * of.experts / copies, joins)};
  }

  void add(const PartParameters& of) {
    waiting_.replicated += of.replicated;
    waiting_.experts += of.experts;
    const double bytes = plan_.gradient_bytes * (waiting_.replicated + waiting_.experts);
    if (bytes >= std::max(1.0, plan_.bucket_bytes)) reduce_waiting();
  }
  void reduce_waiting() {
    reduce(waiting_, false);
    waiting_ = {};
  }
  void reduce(const PartParameters& of, bool joins) {
    const auto kind = plan_.job.zero_stage >= 1 ? Collective::reduce_scatter : Collective::all_reduce;
    writer_.collective({.what = "gradients"}, kind, ParallelAxis::data, plan_.gradient_bytes * of.replicated, joins);
    writer_.collective({.what = "gradients of experts"}, kind, ParallelAxis::expert_data,
                       plan_.gradient_bytes * of.experts, joins);
  }

 private:
  const StepPlan& plan_;
  PassageWriter& writer_;
  PartParameters waiting_;
};

/// Whether parameters come together under the first forward pass.
bool gathers_at_first(const StepPlan& plan) {
  return !plan.adapters_only && plan.job.zero_stage >= 1 && plan.job.zero_stage < 3 && plan.overlap.parameters;
}

/// The layers of a part in the order in which a pass goes through them.
std::vector<std::uint32_t> layers_of(const StepPlan& plan, const PassPlace& place) {
  std::vector<std::uint32_t> layers;
  for (std::uint32_t layer = plan.first_layer(place.part); layer < plan.first_layer(place.part + 1); ++layer)
    layers.push_back(layer);
  if (place.pass != Pass::forward) std::reverse(layers.begin(), layers.end());
  return layers;
}

}  // namespace

std::string to_string(const PieceName& name) {
  std::string text = name.layer < 0 ? std::string() : fmt::format("layer {}", name.layer);
  for (const std::string_view part : {name.what, name.pass, name.detail}) {
    if (part.empty()) continue;
    if (!text.empty()) text += ' ';
    text += part;
  }
  return text;
}

PartParameters part_parameters(const StepPlan& plan, std::uint32_t part) {
  PartParameters sum;
  for (std::uint32_t layer = plan.first_layer(part); layer < plan.first_layer(part + 1); ++layer) {
    const PartParameters one = layer_parameters(plan, layer);
    sum.replicated += one.replicated;
    sum.experts += one.experts;
  }
  const double vocabulary = plan.model.vocabulary * plan.model.hidden / plan.job.tensor;
  if (part == 0) sum.replicated += plan.lstm ? plan.model.vocabulary * plan.lstm->input : vocabulary;
  // Tied weights are there twice, unless both ends of the model are on one rank.
  if (part + 1 == plan.parts() && !(plan.tied_embeddings && plan.parts() == 1)) sum.replicated += vocabulary;
  return sum;
}

std::int64_t Passages::message_bytes() const {
  const bool split = plan_.job.sequence_parallel || plan_.software == Software::megatron_lm_2021;
  return std::max<std::int64_t>(
      1, to_bytes(kElementBytes * plan_.tokens() * plan_.model.hidden / (split ? plan_.job.tensor : 1)));
}

Passage Passages::make(const PassPlace& place) const {
  Passage passage;
  PassageWriter writer(plan_, times_, passage);
  SharedParameters shared(plan_, writer);
  const bool is_first_part = place.part == 0, is_last_part = place.part + 1 == plan_.parts();
  const bool with_weights = plan_.order != PipelineOrder::zero_bubble;
  const auto heads = static_cast<std::uint32_t>(1 + plan_.model.prediction_layers);
  if (place.pass == Pass::forward && times_.micro_batch > 0 && place.part < plan_.stages())
    writer.compute({.what = "micro-batch"}, times_.micro_batch);
  if (place.pass == Pass::forward && is_first_part) writer.embedding_forward();
  if (place.pass == Pass::backward && is_last_part) writer.head_backward(heads, with_weights);
  if (place.pass == Pass::weight_gradient && is_last_part) writer.head_weights(heads);

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
      gathered[i] = shared.gather(PieceName{static_cast<std::int32_t>(layers[i]), "parameters"},
                                  layer_parameters(plan_, layers[i]), false);
  };
  if (each_pass) gather(0);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (each_pass) gather(i + 1);  // while this layer computes
    for (const std::int32_t piece : gathered[i]) writer.wait_for(piece);
    if (at_first) writer.need(layers[i]);
    switch (place.pass) {
      case Pass::forward: writer.forward(layers[i]); break;
      case Pass::backward: writer.backward(layers[i], with_weights); break;
      case Pass::weight_gradient: writer.weight_gradient(layers[i]); break;
    }
    if (reduces) shared.add(layer_parameters(plan_, layers[i]));
  }
  if (place.pass == Pass::forward && is_last_part) writer.head_forward(heads);
  if (place.pass == Pass::backward && is_first_part) writer.embedding_backward();
  if (reduces) {
    const PartParameters whole = part_parameters(plan_, place.part);
    double layers_only = 0;
    for (const std::uint32_t layer : layers) layers_only += layer_parameters(plan_, layer).replicated;
    shared.add({.replicated = whole.replicated - layers_only});
    shared.reduce_waiting();
  }
  writer.settle();
  return passage;
}

Passage Passages::begin_of_step(std::uint32_t stage) const {
  Passage passage;
  if (!gathers_at_first(plan_)) return passage;
  PassageWriter writer(plan_, times_, passage);
  SharedParameters shared(plan_, writer);
  for (std::uint32_t chunk = 0; chunk < plan_.chunks(); ++chunk) {
    const std::uint32_t part = chunk * plan_.stages() + stage;
    for (std::uint32_t layer = plan_.first_layer(part); layer < plan_.first_layer(part + 1); ++layer)
      shared.gather({static_cast<std::int32_t>(layer), "parameters"}, layer_parameters(plan_, layer), false);
  }
  return passage;
}

Passage Passages::end_of_step(std::uint32_t stage) const {
  Passage passage;
  PassageWriter writer(plan_, times_, passage);
  SharedParameters shared(plan_, writer);
  PartParameters all;  // that are trained
  for (std::uint32_t chunk = 0; chunk < plan_.chunks() && !plan_.adapters_only; ++chunk) {
    const PartParameters one = part_parameters(plan_, chunk * plan_.stages() + stage);
    all.replicated += one.replicated;
    all.experts += one.experts;
  }
  if (plan_.job.zero_stage < 2 && !plan_.overlap.gradients) shared.reduce(all, true);
  writer.collective({.what = "gradient norm"}, Collective::all_reduce, ParallelAxis::model, kNormBytes);
  const bool sharded = plan_.job.zero_stage >= 1;
  const double updated = all.replicated / (sharded ? ranks_along(plan_, ParallelAxis::data) : 1) +
                         all.experts / (sharded ? ranks_along(plan_, ParallelAxis::expert_data) : 1);
  writer.compute({.what = "optimizer"}, times_.optimizer_per_parameter * updated);
  if (plan_.job.zero_stage >= 1 && plan_.job.zero_stage < 3 && !plan_.overlap.parameters)
    shared.gather({.what = "parameters"}, all, true);
  return passage;
}

}  // namespace orrery::llm
