// Layers of a transformer: attention, and an MLP or experts behind it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "llm/attention.h"
#include "llm/kernels/kernel_list.h"
#include "llm/steps/layer_model.h"
#include "report/counted.h"

namespace orrery::llm {
namespace {

using machine::Violation;
using workload::Collective;

// Without flash attention, per score: scores and softmax in 16 bits, and a dropout mask.
constexpr double kScoreBytes = 5;
// Of the 16 bits per element of a token on its way to and from experts, with products in 8 bits: it travels in 8 bits
// to them, and in 16 back.
constexpr double kExpertTokenShare = 0.75;

bool divides_evenly(double divisor, double value) { return std::fmod(value, divisor) == 0; }
bool is_narrow(machine::DataType type) { return type == machine::DataType::fp8 || type == machine::DataType::fp4; }

ItemName item_name(std::uint32_t layer, std::string_view what, std::string_view pass) {
  return {static_cast<std::int32_t>(layer), what, pass};
}

/// Of what the backward pass of a layer needs, how many bytes an element takes. With products in 8 bits or fewer, their
/// inputs are kept as they were multiplied (NVIDIA's Transformer Engine does so); what norms, attention and activations
/// need stays in 16 bits.
struct KeptBytes {
  double plain = 2;    ///< inputs of norms and of activations, queries, keys, values
  double norm = 2;     ///< outputs of norms, which are inputs of products; 0: computed again
  double product = 2;  ///< outputs of activations, likewise
  double copy = 0;     ///< attention's output is kept once more as the input of the product behind it

  [[nodiscard]] double gated() const { return 2 * plain + product; }  ///< gate and up, and their product
};
KeptBytes kept_bytes(const StepPlan& plan, bool selective) {
  KeptBytes kept;
  if (is_early(plan.software)) return kept;  // then selective meant scores alone
  if (is_narrow(plan.precision)) kept.norm = kept.product = kept.copy = 1;
  if (selective) kept.norm = kept.product = 0;
  return kept;
}

class TransformerLayers : public LayerModel {
 public:
  [[nodiscard]] std::optional<Violation> find_violation(const StepPlan& plan) const override {
    const Architecture& model = plan.model;
    const ParallelJob& job = plan.job;
    if (model.hybrid)
      return Violation{"model", "has state-space layers, whose kernels are not modelled one by one",
                       "llm backtest knows its published steps"};
    if (!divides_evenly(job.tensor, model.heads))
      return Violation{"parallelism.tensor",
                       fmt::format("of {} must divide the {} attention heads", job.tensor, model.heads)};
    if (!divides_evenly(job.tensor, model.kv_heads) && !divides_evenly(model.kv_heads, job.tensor))
      return Violation{"parallelism.tensor", fmt::format("of {} must divide, or be a multiple of, the {} heads of keys",
                                                         job.tensor, model.kv_heads)};
    if (!divides_evenly(job.tensor, model.ffn))
      return Violation{"parallelism.tensor",
                       fmt::format("of {} must divide the MLP's width of {}", job.tensor, model.ffn)};
    if (job.sequence_parallel && !divides_evenly(job.tensor * job.context, job.sequence)) {
      return Violation{"parallelism.sequence",
                       fmt::format("needs a sequence that tensor x context = {} divides, not {}",
                                   job.tensor * job.context, job.sequence)};
    }
    return find_expert_violation(plan);
  }

  [[nodiscard]] StepTimes times(const Catalog& catalog, const machine::Device& device,
                                const StepPlan& plan) const override {
    return transformer_times(catalog, device, plan);
  }

  [[nodiscard]] double flop_per_token(const StepPlan& plan) const override {
    const Architecture& m = plan.model;
    const double width = m.heads * head_sizes(m) / 2;
    const double attention =
        // 12 = 3 passes of 2 products of 2 operations: per token, layer and element of width, each key once.
        12 * (m.layers + m.prediction_layers) * width * plan.job.sequence * m.attention_window_share;
    // 6 = 3 passes (forward, two of backward) of 2 operations per parameter.
    return 6 * active_parameters(m) + attention;
  }

  [[nodiscard]] RankParameters parameters(const StepPlan& plan, std::uint32_t /*layer*/) const override {
    const double attention =
        parameters_of_all(attention_projections(plan.model, plan.job.tensor)) + 2 * plan.model.hidden;  // norms
    RankParameters all = behind_attention(plan);
    all.replicated = attention + all.replicated;
    return all;
  }
  [[nodiscard]] double embedding_parameters(const StepPlan& plan) const override {
    return plan.model.vocabulary * plan.model.hidden / plan.job.tensor;
  }

  /// Korthikanti et al., Reducing activation recomputation in large transformer models, 2022, with gated MLPs, grouped
  /// keys and flash attention besides.
  [[nodiscard]] double saved_bytes(const StepPlan& plan, std::uint32_t /*layer*/,
                                   Recomputation recomputed) const override {
    const double t = plan.tokens(), h = plan.model.hidden, tp = plan.job.tensor;
    const double sequence = plan.job.sequence_parallel ? tp : 1;
    // Only the input of the layer; sequence parallelism shares it.
    if (recomputed == Recomputation::full) return kElementBytes * t * h / sequence;
    const bool selective = recomputed == Recomputation::selective;
    const KeptBytes kept = kept_bytes(plan, selective);
    const KeptAttention of = kept_attention(plan.model, selective);
    // Inputs of norms and of the first matrices; with dropout, as early software trained, two masks besides.
    const double shared = t * h * (2 * kept.plain + 2 * kept.norm) + (is_early(plan.software) ? 2 * t * h : 0);
    const double attention = t * (kept.plain * (of.inputs + of.output) + kept.copy * of.output);
    return saved_with(plan, kept, selective, shared / sequence, attention);
  }

  void forward(LayerWriter& writer, const LayerTimes& times, std::uint32_t layer, std::string_view pass,
               double PassTimes::*time) const override {
    attention_forward(writer, times, layer, pass, time);
    behind_forward(writer, times, layer, pass, time);
  }
  void backward(LayerWriter& writer, const LayerTimes& times, std::uint32_t layer, bool with_weights) const override {
    behind_backward(writer, times, layer, with_weights);
    attention_backward(writer, times, layer, with_weights);
  }
  void weight_gradient(LayerWriter& writer, const LayerTimes& times, std::uint32_t layer) const override {
    const double attention = times.queries.weight_gradient + times.core.weight_gradient + times.output.weight_gradient;
    // Experts have their tokens already: only the half with attention gathers them again.
    if (writer.plan().job.sequence_parallel)
      writer.collective(item_name(layer, "weights", "").with("tokens"), Collective::all_gather, ParallelAxis::tensor,
                        gathering_halves() * writer.hidden_bytes() / writer.plan().job.tensor);
    writer.compute(item_name(layer, "weights", ""), attention + behind_weights(times));
  }

 protected:
  // What stands behind attention: an MLP or experts.
  [[nodiscard]] virtual std::optional<Violation> find_expert_violation(const StepPlan& plan) const = 0;
  [[nodiscard]] virtual RankParameters behind_attention(const StepPlan& plan) const = 0;
  /// `shared` and `attention` are bytes of the rank, and of all tensor ranks.
  [[nodiscard]] virtual double saved_with(const StepPlan& plan, const KeptBytes& kept, bool selective, double shared,
                                          double attention) const = 0;
  virtual void behind_forward(LayerWriter& writer, const LayerTimes& times, std::uint32_t layer, std::string_view pass,
                              double PassTimes::*time) const = 0;
  virtual void behind_backward(LayerWriter& writer, const LayerTimes& times, std::uint32_t layer,
                               bool with_weights) const = 0;
  [[nodiscard]] virtual double behind_weights(const LayerTimes& times) const = 0;
  [[nodiscard]] virtual double gathering_halves() const = 0;

 private:
  /// Keys and values of the tokens of one rank of a context group.
  static double key_bytes(const StepPlan& plan) {
    return kElementBytes * plan.tokens() * key_value_width(plan.model, plan.job.tensor);
  }

  static void attention_forward(LayerWriter& writer, const LayerTimes& t, std::uint32_t layer, std::string_view pass,
                                double PassTimes::*time) {
    const ParallelJob& job = writer.plan().job;
    const ItemName label = item_name(layer, "attention", pass);
    if (job.context < 2) return writer.half(label, t.queries.*time + t.core.*time + t.output.*time);
    if (job.sequence_parallel)
      writer.collective(label.with("tokens"), Collective::all_gather, ParallelAxis::tensor,
                        writer.hidden_bytes() / job.tensor);
    writer.compute(item_name(layer, "queries", pass), t.queries.*time);
    writer.collective(label.with("keys"), Collective::all_gather, ParallelAxis::context, key_bytes(writer.plan()));
    writer.compute(label, t.core.*time + t.output.*time);
    writer.sum_hidden(label.with("sum"));
  }

  static void attention_backward(LayerWriter& writer, const LayerTimes& t, std::uint32_t layer, bool with_weights) {
    const StepPlan& plan = writer.plan();
    const ItemName label = item_name(layer, "attention", "backward");
    const auto seconds = [&](const PassTimes& times) { return backward_seconds(plan, times); };
    const double output_weights = with_weights ? t.output.weight_gradient : 0,
                 query_weights = with_weights ? t.queries.weight_gradient : 0;
    if (plan.job.context < 2) {
      return writer.half_backward(label, seconds(t.queries) + seconds(t.core) + seconds(t.output) + output_weights,
                                  query_weights);
    }
    if (plan.job.sequence_parallel)
      writer.collective(label.with("tokens"), Collective::all_gather, ParallelAxis::tensor,
                        writer.hidden_bytes() / plan.job.tensor);
    // Keys of other ranks were not kept.
    writer.collective(label.with("keys"), Collective::all_gather, ParallelAxis::context, key_bytes(plan));
    writer.compute(label, seconds(t.core) + seconds(t.output) + output_weights);
    writer.collective(label.with("key gradients"), Collective::reduce_scatter, ParallelAxis::context,
                      key_bytes(plan) * plan.job.context);
    writer.compute(item_name(layer, "queries", "backward"), seconds(t.queries) + query_weights);
    writer.sum_hidden(label.with("sum"));
  }
};

class DenseLayers final : public TransformerLayers {
 public:
  [[nodiscard]] bool is_known_to(Software /*software*/) const override { return true; }

 protected:
  [[nodiscard]] std::optional<Violation> find_expert_violation(const StepPlan& plan) const override {
    if (plan.job.expert <= 1) return std::nullopt;
    return Violation{"parallelism.expert", fmt::format("of {} needs a model with experts", plan.job.expert)};
  }

  [[nodiscard]] RankParameters behind_attention(const StepPlan& plan) const override {
    const Architecture& m = plan.model;
    // Up and down; with a gate, three.
    return {.replicated = (m.plain_mlp ? 2 : 3) * m.hidden * m.ffn / plan.job.tensor};
  }

  [[nodiscard]] double saved_with(const StepPlan& plan, const KeptBytes& kept, bool selective, double shared,
                                  double attention) const override {
    const Architecture& m = plan.model;
    const double t = plan.tokens(), tp = plan.job.tensor;
    const double mlp = t * m.ffn * (m.plain_mlp ? kept.plain + kept.product : kept.gated());
    double scores = 0;
    // Megatron of 2021 kept the scores of every head unless they were recomputed.
    if (is_early(plan.software) && !selective) scores = kScoreBytes * m.heads * plan.job.sequence * t / tp;
    return shared + (attention + mlp + scores) / tp;
  }

  void behind_forward(LayerWriter& writer, const LayerTimes& times, std::uint32_t layer, std::string_view pass,
                      double PassTimes::*time) const override {
    writer.half(item_name(layer, "mlp", pass), times.mlp.*time);
  }
  void behind_backward(LayerWriter& writer, const LayerTimes& times, std::uint32_t layer,
                       bool with_weights) const override {
    matrices_backward(writer, item_name(layer, "mlp", "backward"), times.mlp, with_weights);
  }
  [[nodiscard]] double behind_weights(const LayerTimes& times) const override { return times.mlp.weight_gradient; }
  [[nodiscard]] double gathering_halves() const override { return 2; }
};

/// Mixture of experts, which are spread over ranks.
///
/// How many tokens an expert gets is known only once they were routed: the host waits for that in every layer, and
/// launches the rest of it and the beginning of the next one from then on. So a layer takes at least as long as
/// launching it, whatever the device computes or waits for meanwhile.
class ExpertLayers final : public TransformerLayers {
 public:
  void forward(LayerWriter& writer, const LayerTimes& times, std::uint32_t layer, std::string_view pass,
               double PassTimes::*time) const override {
    const std::int32_t launched = writer.launch(item_name(layer, "launches", pass), times.host.*time);
    TransformerLayers::forward(writer, times, layer, pass, time);
    writer.wait_for(launched);
  }
  void backward(LayerWriter& writer, const LayerTimes& times, std::uint32_t layer, bool with_weights) const override {
    const std::int32_t launched =
        writer.launch(item_name(layer, "launches", "backward"), backward_seconds(writer.plan(), times.host));
    TransformerLayers::backward(writer, times, layer, with_weights);
    writer.wait_for(launched);
  }

 protected:
  [[nodiscard]] std::optional<Violation> find_expert_violation(const StepPlan& plan) const override {
    const ParallelJob& job = plan.job;
    const double count = plan.model.experts->count;
    if (!divides_evenly(job.expert, count))
      return Violation{"parallelism.expert", fmt::format("of {} must divide the {} experts", job.expert, count)};
    if (job.tensor > 1 && !job.sequence_parallel)
      return Violation{"parallelism.sequence",
                       "must be true where experts meet tensor parallelism: each rank routes its own tokens"};
    if (!divides_evenly(job.expert, job.tensor * job.context * job.data)) {
      return Violation{"parallelism.expert",
                       fmt::format("of {} must divide the {} of a stage (tensor x context x data)", job.expert,
                                   report::counted(job.tensor * job.context * job.data, "rank"))};
    }
    return std::nullopt;
  }

  [[nodiscard]] RankParameters behind_attention(const StepPlan& plan) const override {
    const Experts& e = *plan.model.experts;
    const double h = plan.model.hidden;
    // The shared expert, and the router.
    return {.replicated = 3 * h * e.shared_ffn / plan.job.tensor + h * e.count,
            .experts = 3 * h * e.ffn * std::max(1.0, std::floor(e.count / plan.job.expert))};
  }

  [[nodiscard]] double saved_with(const StepPlan& plan, const KeptBytes& kept, bool /*selective*/, double shared,
                                  double attention) const override {
    const Experts& e = *plan.model.experts;
    const double t = plan.tokens(), tp = plan.job.tensor, gated = kept.gated();
    // Routed tokens as products read them, and what experts keep: each rank has its share of all. Their outputs are not
    // needed again, since the router's weights multiply the activations inside.
    const double input = kept.copy > 0 ? kept.copy : kept.plain;
    return shared + attention / tp + t / tp * e.chosen * (input * plan.model.hidden + gated * e.ffn) +
           t * gated * e.shared_ffn / tp;
  }

  /// What every token passes is computed while the others are on their way to their experts.
  void behind_forward(LayerWriter& writer, const LayerTimes& t, std::uint32_t layer, std::string_view pass,
                      double PassTimes::*time) const override {
    const double bytes = routed_bytes(writer.plan());
    writer.compute(item_name(layer, "router", pass), t.router.*time);
    const bool shared = t.shared_expert.*time > 0, sorts = t.sorting.*time > 0;
    const std::int32_t dispatched = writer.collective(item_name(layer, "dispatch", pass), Collective::all_to_all,
                                                      ParallelAxis::expert, bytes, !shared && !sorts);
    sort_beside(writer, item_name(layer, "sorting", pass), dispatched, t.sorting.*time, !shared);
    if (shared) writer.half(item_name(layer, "shared expert", pass), t.shared_expert.*time);
    if (shared) writer.wait_for(dispatched);
    writer.compute(item_name(layer, "experts", pass), t.experts.*time);
    const std::int32_t combined = writer.collective(item_name(layer, "combine", pass), Collective::all_to_all,
                                                    ParallelAxis::expert, bytes, !sorts);
    sort_beside(writer, item_name(layer, "sorting back", pass), combined, t.sorting.*time);
  }

  void behind_backward(LayerWriter& writer, const LayerTimes& t, std::uint32_t layer,
                       bool with_weights) const override {
    const double bytes = routed_bytes(writer.plan());
    const auto seconds = [&](const PassTimes& times) {
      return backward_seconds(writer.plan(), times) + (with_weights ? times.weight_gradient : 0);
    };
    const bool shared = t.shared_expert.forward > 0, sorts = t.sorting.forward > 0;
    const std::int32_t sent = writer.collective(item_name(layer, "combine", "backward"), Collective::all_to_all,
                                                ParallelAxis::expert, bytes, !shared && !sorts);
    sort_beside(writer, item_name(layer, "sorting", "backward"), sent, seconds(t.sorting), !shared);
    if (shared) matrices_backward(writer, item_name(layer, "shared expert", "backward"), t.shared_expert, with_weights);
    if (shared) writer.wait_for(sent);
    writer.compute(item_name(layer, "experts", "backward"), seconds(t.experts));
    const std::int32_t back = writer.collective(item_name(layer, "dispatch", "backward"), Collective::all_to_all,
                                                ParallelAxis::expert, bytes, !sorts);
    sort_beside(writer, item_name(layer, "sorting back", "backward"), back, seconds(t.sorting));
    writer.compute(item_name(layer, "router", "backward"), seconds(t.router));
  }

  [[nodiscard]] double behind_weights(const LayerTimes& times) const override {
    return times.router.weight_gradient + times.sorting.weight_gradient + times.experts.weight_gradient +
           times.shared_expert.weight_gradient;
  }
  [[nodiscard]] double gathering_halves() const override { return 1; }

 private:
  /// Half of the sorting of a pass, which is part of an exchange: whichever of both takes longer.
  static void sort_beside(LayerWriter& writer, const ItemName& label, std::int32_t exchange, double seconds,
                          bool ends_exchange = true) {
    if (seconds <= 0) return;
    writer.compute(label, seconds / 2);
    if (ends_exchange) writer.wait_for(exchange);
  }
  /// How often a token is sent: once per chosen expert; of several domains, once per domain that has one of them.
  static double copies(const StepPlan& plan) {
    const bool knows_domains = plan.dispatch != Dispatch::all_to_all && plan.domain_devices > 0;
    const double domains = knows_domains ? plan.job.expert / plan.domain_devices : 1;
    return domains <= 1 ? plan.model.experts->chosen : domains_reached(*plan.model.experts, domains);
  }
  static double routed_bytes(const StepPlan& plan) {
    const bool narrow = is_narrow(plan.precision) && plan.dispatch != Dispatch::all_to_all;
    const double share = narrow ? kExpertTokenShare : 1;
    return share * kElementBytes * plan.tokens() / plan.job.tensor * copies(plan) * plan.model.hidden;
  }
};

}  // namespace

const LayerModel& dense_layers() {
  static const DenseLayers layers;
  return layers;
}
const LayerModel& expert_layers() {
  static const ExpertLayers layers;
  return layers;
}

}  // namespace orrery::llm
