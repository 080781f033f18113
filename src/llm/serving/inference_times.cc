#include "llm/serving/inference_times.h"

#include <algorithm>
#include <cmath>

#include "llm/attention.h"
#include "llm/closed_forms/eager_step.h"
#include "llm/kernels/kernel_list.h"

// Two models of a stack: serving software, where a layer is bound by bytes or by operations as a whole, and PyTorch
// without it, where kernels are priced one by one and the host may be the slower one. Both give the same parts, so that
// the workload does not know which it is.

namespace orrery::llm {
namespace {

using Shares = machine::ElementwiseShares;

/// Work of one part of a layer.
struct Work {
  double bytes = 0;
  double flop = 0;
};

class ServingTimes {
 public:
  ServingTimes(const ServingConstants& constants, const machine::Device& device, const InferencePlan& plan,
               const Visit& visit)
      : c_(constants), plan_(plan), visit_(visit), weight_bytes_(machine::bytes_of(plan.precision)) {
    const ServingRates& rates = rates_of(c_.rates, device.generation);
    layer_s_ = rates.layer_us * 1e-6;
    // Two all-reduces per layer are measured together. Those of prompts are launched while others compute.
    if (!visit.is_prefill && plan.shape.job.tensor > 1) {
      reduce_s_ = c_.all_reduce_software_share * rates.all_reduce_us * 1e-6 / 2 *
                  (1 + c_.all_reduce_growth * plan.shape.model.hidden / c_.all_reduce_width);
    }
    bytes_per_s_ = c_.memory_share * device.memory_bytes_per_s();
    flop_per_s_ =
        (visit.is_prefill ? c_.prefill_matrix_share : c_.decode_matrix_share) * device.peak_flops(plan.precision);
  }

  [[nodiscard]] VisitTimes times() const {
    const Architecture& m = plan_.shape.model;
    VisitTimes all;
    all.reduce = reduce_s_;
    all.dense = layer(false);
    if (m.experts) all.with_experts = layer(true);
    const Work head = matrices(m.vocabulary * m.hidden / plan_.shape.job.tensor);
    all.head = std::max(head.bytes / bytes_per_s_, head.flop / flop_per_s_);
    return all;
  }

 private:
  [[nodiscard]] Work matrices(double parameters) const {
    // A multiplication and an addition per parameter and token.
    return {weight_bytes_ * parameters, 2 * parameters * visit_.tokens()};
  }

  [[nodiscard]] Work attention(double parameters) const {
    const Architecture& m = plan_.shape.model;
    Work work = matrices(parameters);
    const double heads = m.heads / plan_.shape.job.tensor;
    if (visit_.is_prefill) {
      // Causal: half of all pairs.
      work.flop += 2 * visit_.requests * heads * (head_sizes(m) / 2) * visit_.context * visit_.context;
      return work;
    }
    work.bytes += visit_.requests * visit_.context * cache_bytes_per_token(plan_);
    if (m.latent_attention) {
      // Queries are taken into the latent space, where scores and sums are computed.
      const LatentAttention& l = *m.latent_attention;
      work.flop += 2 * visit_.requests * heads * (2 * l.key_value_rank + l.rotary_size) * visit_.context;
    }
    return work;
  }

  [[nodiscard]] Work experts() const {
    const Experts& e = *plan_.shape.model.experts;
    const double tokens = visit_.tokens() * plan_.expert_replicas();
    const double of_one = 3 * plan_.shape.model.hidden * e.ffn / plan_.expert_split();
    // How many different experts a batch meets, if each token chooses at random.
    const double touched = e.count / plan_.shape.job.expert * (1 - std::pow(1 - e.chosen / e.count, tokens));
    return {weight_bytes_ * touched * of_one, 2 * of_one * tokens * e.chosen / plan_.shape.job.expert};
  }

  [[nodiscard]] LayerVisit layer(bool with_experts) const {
    const ServedParameters of = served_parameters(plan_, with_experts);
    const Work first = attention(of.attention), second = matrices(of.mlp), third = with_experts ? experts() : Work{};
    const double bytes = first.bytes + second.bytes + third.bytes, flop = first.flop + second.flop + third.flop;
    const bool by_bytes = bytes / bytes_per_s_ >= flop / flop_per_s_;
    const auto seconds = [&](const Work& work) {
      return by_bytes ? work.bytes / bytes_per_s_ : work.flop / flop_per_s_;
    };
    return {
        .attention = seconds(first) + layer_s_ / 2, .mlp = seconds(second) + layer_s_ / 2, .experts = seconds(third)};
  }

  const ServingConstants& c_;
  const InferencePlan& plan_;
  const Visit& visit_;
  const double weight_bytes_;
  double layer_s_ = 0, reduce_s_ = 0, bytes_per_s_ = 0, flop_per_s_ = 0;
};

EagerModel eager_model(const InferencePlan& plan, double sequence) {
  const Architecture& m = plan.shape.model;
  return {.style = m.plain_mlp ? BlockStyle::gpt : BlockStyle::llama,
          .layers = m.layers,
          .hidden = m.hidden,
          .ffn = m.ffn,
          .heads = m.heads,
          .kv_width = m.kv_width(),
          .vocabulary = m.vocabulary,
          .sequence = sequence};
}

/// Seconds of the products of an MLP, which come last in a block.
double mlp_products(const machine::Device& device, const BlockShape& block, double rows) {
  const std::vector<Linear> all = linears_of(block);
  std::vector<Kernel> products;
  for (std::size_t i = all.size() - (block.style == BlockStyle::gpt ? 2 : 3); i < all.size(); ++i)
    products.push_back(product(rows, all[i].out, all[i].in));
  return seconds_of(device, products).products;
}

/// What prefill_seconds() sums, part by part.
VisitTimes eager_prefill(const EagerConstants& c, const machine::Device& device, const InferencePlan& plan,
                         const Visit& visit) {
  const EagerModel model = eager_model(plan, visit.context);
  const BlockShape block = model.block(visit.requests);
  const KernelSeconds kernels = seconds_of(device, forward_kernels(block));
  const double fill = elementwise_seconds(device, &Shares::add, 2 * 2 * 2 * block.tokens() * model.kv_width);
  VisitTimes all;
  all.dense.mlp = mlp_products(device, block, block.tokens()) + kernels.elementwise / 2;
  all.dense.attention = kernels.sum() - all.dense.mlp + fill;
  all.embedding = elementwise_seconds(device, &Shares::add, 4 * 2 * block.tokens() * model.hidden);
  all.head = seconds_of(device, {product(visit.requests, model.vocabulary, model.hidden)}).products;
  // The host launches all layers ahead: whether it or the device is the slower one shows over the whole model.
  const double on_device = model.layers * (all.dense.attention + all.dense.mlp) + all.embedding + all.head;
  const double stretched = prefill_seconds(device, c, model, visit.requests) / on_device;
  for (double* part : {&all.dense.attention, &all.dense.mlp, &all.embedding, &all.head}) *part *= stretched;
  return all;
}

/// What decode_seconds() sums, part by part.
VisitTimes eager_decode(const EagerConstants& c, const machine::Device& device, const InferencePlan& plan,
                        const Visit& visit) {
  const EagerModel model = eager_model(plan, visit.context);
  const EagerStyle& style = style_of(c, model.style);
  EagerModel none = model, one = model;
  none.layers = 0;
  one.layers = 1;
  VisitTimes all;
  all.head = decode_seconds(device, c, none, visit.requests);
  const double layer = decode_seconds(device, c, one, visit.requests) - all.head;
  const double small = style.decode_small_kernels * c.decode_small_kernel_us * 1e-6 +
                       c.decode_gap_us * 1e-6 * style.decode_kernels_per_layer;
  all.dense.mlp = mlp_products(device, model.block(visit.requests), visit.requests) + small / 2;
  all.dense.attention = layer - all.dense.mlp;
  return all;
}

}  // namespace

VisitTimes visit_times(const Catalog& catalog, const machine::Device& device, const InferencePlan& plan,
                       const Visit& visit) {
  if (plan.stack == ServingStack::serving) return ServingTimes(catalog.serving, device, plan, visit).times();
  return visit.is_prefill ? eager_prefill(catalog.eager, device, plan, visit)
                          : eager_decode(catalog.eager, device, plan, visit);
}

}  // namespace orrery::llm
