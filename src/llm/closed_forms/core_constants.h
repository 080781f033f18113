// Megatron-Core, 2024 and later: flash attention, fused kernels, experts, FP8 and FP4.
// data/frameworks/megatron_core.yaml has the values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llm/backtest/constant_ranges.h"
#include "machine/yaml/field_kinds.h"

namespace orrery::llm {

/// What depends on the generation of the device; the last entry stands for those that are not listed.
struct CoreRates {
  std::vector<std::string> generations = {};
  double matrix_slowdown = 0;      ///< sustained clock
  double compute_factor = 0;       ///< on the time of products and attention
  double elementwise_factor = 0;   ///< against eager kernels
  double attention_share = 0;      ///< of the bf16 peak
  double tensor_gb_per_s = 0;      ///< scale-up network
  double port_gb_per_s = 0;        ///< scale-out network, per device
  double sharded_gb_per_s = 0;     ///< FSDP, per device
  double hybrid_matrix_share = 0;  ///< of the bf16 peak
};

/// How experts run from a release of the software on.
struct CoreRelease {
  double year = 0;
  double month = 0;
  double expert_overhead_factor = 0;
  double expert_matrix_factor = 0;
  double hybrid_byte_factor = 0;
};

/// What a number format gains on bf16.
struct CorePrecision {
  std::string name;
  double matrix_gain = 0;
  double expert_matrix_gain = 0;
  double hybrid_gain = 0;
  double token_bytes = 0;  ///< of one element of a routed token
};

struct CoreConstants {
  double exposed_tensor_share = 0;
  double adapter_factor = 0;          ///< on layers of which only adapters (LoRA) are trained
  double layer_us = 0;                ///< per layer and micro-batch
  double grouped_matrix_factor = 0;   ///< on the products of experts
  double permute_passes = 0;          ///< over routed tokens
  double activation_passes = 0;       ///< over the activations of experts
  double expert_us = 0;               ///< per local expert, layer and micro-batch
  double expert_layer_us = 0;         ///< per layer with experts and micro-batch
  double exposed_exchange_share = 0;  ///< of the all-to-all inside the scale-up domain
  double exchange_gb_per_s = 0;       ///< across domains, per device
  double hybrid_bytes = 0;            ///< per token, layer and width
  double exposed_sharding_share = 0;  ///< FSDP
  double optimizer_bytes_per_parameter = 0;
  double exposed_gradient_share = 0;  ///< of gradients and parameters, besides what compute does not cover
  double gradient_cover_share = 0;    ///< of a micro-batch: its backward pass
  double gather_cover_share = 0;      ///< its forward pass
  double logit_bytes = 0;
  double cross_node_tensor_factor = 0;  ///< on tensor-parallel traffic that leaves the node
  std::vector<CoreRates> rates = {};
  std::vector<CoreRelease> releases = {};  ///< by date, ascending; before the first, nothing is scaled
  std::vector<CorePrecision> precisions = {};
};

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<CoreRates> auto& value) {
  visitor.texts("generations", value.generations);
  visitor.number("matrix_slowdown", value.matrix_slowdown, kConstant);
  visitor.number("compute_factor", value.compute_factor, kConstant);
  visitor.number("elementwise_factor", value.elementwise_factor, kConstant);
  visitor.number("attention_share", value.attention_share, kConstant);
  visitor.number("tensor_gb_per_s", value.tensor_gb_per_s, kConstant);
  visitor.number("port_gb_per_s", value.port_gb_per_s, kConstant);
  visitor.number("sharded_gb_per_s", value.sharded_gb_per_s, kConstant);
  visitor.number("hybrid_matrix_share", value.hybrid_matrix_share, kConstant);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<CoreRelease> auto& value) {
  visitor.number("year", value.year, kConstant);
  visitor.number("month", value.month, kConstant);
  visitor.number("expert_overhead_factor", value.expert_overhead_factor, kConstant);
  visitor.number("expert_matrix_factor", value.expert_matrix_factor, kConstant);
  visitor.number("hybrid_byte_factor", value.hybrid_byte_factor, kConstant);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<CorePrecision> auto& value) {
  visitor.text("name", value.name);
  visitor.number("matrix_gain", value.matrix_gain, kConstant);
  visitor.number("expert_matrix_gain", value.expert_matrix_gain, kConstant);
  visitor.number("hybrid_gain", value.hybrid_gain, kConstant);
  visitor.number("token_bytes", value.token_bytes, kConstant);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<CoreConstants> auto& value) {
  visitor.format("format", "orrery.megatron_core/1");
  visitor.number("exposed_tensor_share", value.exposed_tensor_share, kConstant);
  visitor.number("adapter_factor", value.adapter_factor, kConstant);
  visitor.number("layer_us", value.layer_us, kConstant);
  visitor.number("grouped_matrix_factor", value.grouped_matrix_factor, kConstant);
  visitor.number("permute_passes", value.permute_passes, kConstant);
  visitor.number("activation_passes", value.activation_passes, kConstant);
  visitor.number("expert_us", value.expert_us, kConstant);
  visitor.number("expert_layer_us", value.expert_layer_us, kConstant);
  visitor.number("exposed_exchange_share", value.exposed_exchange_share, kConstant);
  visitor.number("exchange_gb_per_s", value.exchange_gb_per_s, kConstant);
  visitor.number("hybrid_bytes", value.hybrid_bytes, kConstant);
  visitor.number("exposed_sharding_share", value.exposed_sharding_share, kConstant);
  visitor.number("optimizer_bytes_per_parameter", value.optimizer_bytes_per_parameter, kConstant);
  visitor.number("exposed_gradient_share", value.exposed_gradient_share, kConstant);
  visitor.number("gradient_cover_share", value.gradient_cover_share, kConstant);
  visitor.number("gather_cover_share", value.gather_cover_share, kConstant);
  visitor.number("logit_bytes", value.logit_bytes, kConstant);
  visitor.number("cross_node_tensor_factor", value.cross_node_tensor_factor, kConstant);
  visitor.list("rates", value.rates, machine::Required{});
  visitor.list("releases", value.releases, machine::Required{});
  visitor.list("precisions", value.precisions, machine::Required{});
}

}  // namespace orrery::llm
