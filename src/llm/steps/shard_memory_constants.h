// How much memory a 3D-parallel step takes on its fullest rank. data/frameworks/nanotron.yaml has the values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llm/backtest/constant_ranges.h"
#include "machine/yaml/field_kinds.h"

namespace orrery::llm {

struct ShardMemoryConstants {
  double bytes_per_parameter = 0;        ///< weights, gradients, accumulation
  double state_bytes_per_parameter = 0;  ///< optimizer states and master weights: sharded by ZeRO
  double replicated_activation = 0;      ///< copies of the hidden state that tensor parallelism does not share
  double hidden_activation = 0;          ///< and that it does
  double ffn_activation = 0;
  double logit_bytes = 0;
  double head_layer_share =
      0;  ///< cost of the head in layers when stages are cut, in units of its share of the parameters
  double overhead_mb = 0;
  double usable_share = 0;  ///< of the device memory
};

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<ShardMemoryConstants> auto& value) {
  visitor.format("format", "orrery.shard_memory/1");
  visitor.number("bytes_per_parameter", value.bytes_per_parameter, kConstant);
  visitor.number("state_bytes_per_parameter", value.state_bytes_per_parameter, kConstant);
  visitor.number("replicated_activation", value.replicated_activation, kConstant);
  visitor.number("hidden_activation", value.hidden_activation, kConstant);
  visitor.number("ffn_activation", value.ffn_activation, kConstant);
  visitor.number("logit_bytes", value.logit_bytes, kConstant);
  visitor.number("head_layer_share", value.head_layer_share, kConstant);
  visitor.number("overhead_mb", value.overhead_mb, kConstant);
  visitor.number("usable_share", value.usable_share, kConstant);
}

}  // namespace orrery::llm
