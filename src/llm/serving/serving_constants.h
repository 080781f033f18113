// Serving stacks (TensorRT-LLM, FasterTransformer, vLLM). data/frameworks/serving.yaml has the values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llm/backtest/constant_ranges.h"
#include "machine/yaml/field_kinds.h"

namespace orrery::llm {

/// What depends on the generation of the device; the last entry stands for those that are not listed.
struct ServingRates {
  std::vector<std::string> generations = {};
  double layer_us = 0;
  double all_reduce_us = 0;  ///< per layer, with tensor parallelism
};

struct ServingConstants {
  double memory_share = 0;         ///< of the memory bandwidth that a decode step reaches
  double decode_matrix_share = 0;  ///< of the bf16 peak
  double prefill_matrix_share = 0;
  double all_reduce_growth = 0;  ///< per all_reduce_width of hidden
  double all_reduce_width = 0;
  double prefill_network_share = 0;  ///< of the scale-up bandwidth
  /// Of a decode step's all-reduce as measured, what is not on the wire: launching, and ranks that wait for one
  /// another. The rest is the network's.
  double all_reduce_software_share = 0;
  double queued_prefill_share = 0;  ///< of the others' prefills that a request waits for
  std::vector<ServingRates> rates = {};
};

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<ServingRates> auto& value) {
  visitor.texts("generations", value.generations);
  visitor.number("layer_us", value.layer_us, kConstant);
  visitor.number("all_reduce_us", value.all_reduce_us, kConstant);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<ServingConstants> auto& value) {
  visitor.format("format", "orrery.serving/1");
  visitor.number("memory_share", value.memory_share, kConstant);
  visitor.number("decode_matrix_share", value.decode_matrix_share, kConstant);
  visitor.number("prefill_matrix_share", value.prefill_matrix_share, kConstant);
  visitor.number("all_reduce_growth", value.all_reduce_growth, kConstant);
  visitor.number("all_reduce_width", value.all_reduce_width, kConstant);
  visitor.number("prefill_network_share", value.prefill_network_share, kConstant);
  visitor.number("all_reduce_software_share", value.all_reduce_software_share, kConstant);
  visitor.number("queued_prefill_share", value.queued_prefill_share, kConstant);
  visitor.list("rates", value.rates, machine::Required{});
}

}  // namespace orrery::llm
