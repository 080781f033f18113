// Megatron as of 2021 and 2022, before flash attention: constants of the framework, jointly fitted for its two
// flavours. data/frameworks/megatron_2021.yaml has the values and the rows they were fitted on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llm/backtest/constant_ranges.h"
#include "machine/yaml/field_kinds.h"

namespace orrery::llm {

/// What Megatron-LM and Megatron-DeepSpeed do differently.
struct MegatronFlavour {
  std::string name;
  double optimizer_bytes_per_parameter = 0;
  double pipeline_micro_batch_us = 0;  ///< per micro-batch, with a pipeline
  bool splits_messages = false;        ///< each tensor-parallel rank sends its share of the activations
};

struct MegatronConstants {
  double forward_elementwise_factor = 0;  ///< on the bytes of element-wise kernels
  double backward_elementwise_factor = 0;
  double forward_softmax_factor = 0;  ///< on the passes of softmax and dropout
  double backward_softmax_factor = 0;
  double layer_floor_us = 0;                ///< of kernels, per layer and micro-batch
  double without_recomputation_factor = 0;  ///< on floors and host time
  double all_reduce_latency_us = 0;
  double all_reduce_ramp_mb = 0;       ///< the first bytes go at half speed
  double all_reduce_gb_per_s = 0;      ///< inside a node
  double cross_node_tensor_share = 0;  ///< of the node's network, for tensor parallelism across nodes
  double host_layer_us = 0;            ///< per layer and micro-batch
  double host_tensor_us = 0;           ///< x log2(tensor parallelism)^host_tensor_exponent
  double host_tensor_exponent = 0;
  double host_micro_batch_us = 0;
  double host_corner = 0;         ///< p of the p-norm of device and host time
  double micro_batch_us = 0;      ///< per micro-batch, without a pipeline
  double message_latency_us = 0;  ///< between stages
  double message_gb_per_s = 0;    ///< between stages; also the all-reduce of tied embeddings
  double exposed_message_share = 0;
  double data_parallel_share = 0;  ///< of the node's network, for the reduction of gradients
  double streaming_share = 0;      ///< of the memory bandwidth
  double head_bytes_per_logit = 0;
  double accumulation_bytes_per_parameter = 0;  ///< bf16: gradients are summed in fp32
  double zero3_node_gb_per_s = 0;
  double zero3_layer_us = 0;  ///< x log2(devices)
  double zero3_optimizer_bytes_per_parameter = 0;
  std::vector<MegatronFlavour> flavours = {};
};

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<MegatronFlavour> auto& value) {
  visitor.text("name", value.name);
  visitor.number("optimizer_bytes_per_parameter", value.optimizer_bytes_per_parameter, kConstant);
  visitor.number("pipeline_micro_batch_us", value.pipeline_micro_batch_us, kConstant);
  visitor.flag("splits_messages", value.splits_messages);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<MegatronConstants> auto& value) {
  visitor.format("format", "orrery.megatron/1");
  visitor.number("forward_elementwise_factor", value.forward_elementwise_factor, kConstant);
  visitor.number("backward_elementwise_factor", value.backward_elementwise_factor, kConstant);
  visitor.number("forward_softmax_factor", value.forward_softmax_factor, kConstant);
  visitor.number("backward_softmax_factor", value.backward_softmax_factor, kConstant);
  visitor.number("layer_floor_us", value.layer_floor_us, kConstant);
  visitor.number("without_recomputation_factor", value.without_recomputation_factor, kConstant);
  visitor.number("all_reduce_latency_us", value.all_reduce_latency_us, kConstant);
  visitor.number("all_reduce_ramp_mb", value.all_reduce_ramp_mb, kConstant);
  visitor.number("all_reduce_gb_per_s", value.all_reduce_gb_per_s, kConstant);
  visitor.number("cross_node_tensor_share", value.cross_node_tensor_share, kConstant);
  visitor.number("host_layer_us", value.host_layer_us, kConstant);
  visitor.number("host_tensor_us", value.host_tensor_us, kConstant);
  visitor.number("host_tensor_exponent", value.host_tensor_exponent, kConstant);
  visitor.number("host_micro_batch_us", value.host_micro_batch_us, kConstant);
  visitor.number("host_corner", value.host_corner, kConstant);
  visitor.number("micro_batch_us", value.micro_batch_us, kConstant);
  visitor.number("message_latency_us", value.message_latency_us, kConstant);
  visitor.number("message_gb_per_s", value.message_gb_per_s, kConstant);
  visitor.number("exposed_message_share", value.exposed_message_share, kConstant);
  visitor.number("data_parallel_share", value.data_parallel_share, kConstant);
  visitor.number("streaming_share", value.streaming_share, kConstant);
  visitor.number("head_bytes_per_logit", value.head_bytes_per_logit, kConstant);
  visitor.number("accumulation_bytes_per_parameter", value.accumulation_bytes_per_parameter, kConstant);
  visitor.number("zero3_node_gb_per_s", value.zero3_node_gb_per_s, kConstant);
  visitor.number("zero3_layer_us", value.zero3_layer_us, kConstant);
  visitor.number("zero3_optimizer_bytes_per_parameter", value.zero3_optimizer_bytes_per_parameter, kConstant);
  visitor.list("flavours", value.flavours, machine::Required{});
}

}  // namespace orrery::llm
