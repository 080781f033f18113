// Fully sharded data parallelism with fused element-wise kernels, as LLM Foundry runs it.
// data/frameworks/llm_foundry.yaml has the values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llm/backtest/constant_ranges.h"
#include "machine/yaml/field_kinds.h"

namespace orrery::llm {

/// What depends on the generation of the device; the last entry stands for those that are not listed.
struct FsdpRates {
  std::vector<std::string> generations = {};
  double attention_forward_share = 0;  ///< of the bf16 peak
  double attention_backward_share = 0;
  double node_gb_per_s = 0;     ///< one node
  double network_gb_per_s = 0;  ///< per node, across nodes
};

struct FsdpConstants {
  double elementwise_factor = 0;  ///< against eager kernels
  double cross_entropy_factor = 0;
  double layer_us = 0;               ///< per layer and micro-batch
  double exposed_share = 0;          ///< of communication, besides what compute does not cover
  double collective_latency_us = 0;  ///< per rank and layer
  double node_devices = 0;
  double optimizer_bytes_per_parameter = 0;
  double logit_bytes = 0;
  std::vector<FsdpRates> rates = {};
};

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<FsdpRates> auto& value) {
  visitor.texts("generations", value.generations);
  visitor.number("attention_forward_share", value.attention_forward_share, kConstant);
  visitor.number("attention_backward_share", value.attention_backward_share, kConstant);
  visitor.number("node_gb_per_s", value.node_gb_per_s, kConstant);
  visitor.number("network_gb_per_s", value.network_gb_per_s, kConstant);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<FsdpConstants> auto& value) {
  visitor.format("format", "orrery.fsdp/1");
  visitor.number("elementwise_factor", value.elementwise_factor, kConstant);
  visitor.number("cross_entropy_factor", value.cross_entropy_factor, kConstant);
  visitor.number("layer_us", value.layer_us, kConstant);
  visitor.number("exposed_share", value.exposed_share, kConstant);
  visitor.number("collective_latency_us", value.collective_latency_us, kConstant);
  visitor.number("node_devices", value.node_devices, kConstant);
  visitor.number("optimizer_bytes_per_parameter", value.optimizer_bytes_per_parameter, kConstant);
  visitor.number("logit_bytes", value.logit_bytes, kConstant);
  visitor.list("rates", value.rates, machine::Required{});
}

}  // namespace orrery::llm
