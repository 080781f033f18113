// What eager PyTorch on one device adds to the kernels of a step: launches, gaps, what a decode graph holds, and how
// much memory is taken besides what the model needs. data/frameworks/pytorch_eager.yaml has the values and where they
// come from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llm/backtest/constant_ranges.h"
#include "machine/yaml/field_kinds.h"

namespace orrery::llm {

/// Counts that depend on how a block is written.
struct EagerStyle {
  std::string name;  ///< "gpt": fused qkv, LayerNorm, GELU, biases; "llama": separate projections, RMSNorm, rotary
                     ///< positions, SwiGLU
  double forward_kernels_per_layer = 0;
  double forward_kernels = 0;  ///< besides those of the layers
  double backward_kernels_per_layer = 0;
  double decode_kernels_per_layer = 0;
  double decode_kernels = 0;
  double decode_small_kernels = 0;  ///< element-wise kernels of a layer, in units of decode_small_kernel_us
  double backward_ffn_copies = 0;   ///< of the MLP's activations at the peak of the first block's backward pass
};

struct EagerConstants {
  double gap_us = 0;               ///< between two kernels
  double inference_launch_us = 0;  ///< of the host, per kernel
  double training_launch_us = 0;
  double host_corner = 0;              ///< p of the p-norm of device and host time
  double mixed_precision_kernels = 0;  ///< factor on the kernels of a training step
  double step_kernels = 0;             ///< besides those of the layers
  double decode_small_kernel_us = 0;
  double decode_ns_per_width = 0;  ///< of the two norms
  double decode_gap_us = 0;        ///< between two kernels of a graph
  double decode_attention_us = 0;
  double decode_attention_short_factor = 0;  ///< for contexts below short_context: less of the device is busy
  double short_context = 0;
  double cache_read_share = 0;  ///< of the memory bandwidth
  double training_overhead_mb = 0;
  double loss_residual_copies = 0;  ///< of the residual stream at the loss
  double workspace_low_mib = 0;     ///< left over by earlier captures: expected for small models
  double workspace_high_mib = 0;    ///< and for large ones
  double workspace_half_gib = 0;    ///< model size half-way between
  std::vector<EagerStyle> styles = {};
};

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<EagerStyle> auto& value) {
  visitor.text("name", value.name);
  visitor.whole("forward_kernels_per_layer", value.forward_kernels_per_layer, kConstant);
  visitor.whole("forward_kernels", value.forward_kernels, kConstant);
  visitor.whole("backward_kernels_per_layer", value.backward_kernels_per_layer, kConstant);
  visitor.whole("decode_kernels_per_layer", value.decode_kernels_per_layer, kConstant);
  visitor.whole("decode_kernels", value.decode_kernels, kConstant);
  visitor.number("decode_small_kernels", value.decode_small_kernels, kConstant);
  visitor.number("backward_ffn_copies", value.backward_ffn_copies, kConstant);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<EagerConstants> auto& value) {
  visitor.format("format", "orrery.eager/1");
  visitor.number("gap_us", value.gap_us, kConstant);
  visitor.number("inference_launch_us", value.inference_launch_us, kConstant);
  visitor.number("training_launch_us", value.training_launch_us, kConstant);
  visitor.number("host_corner", value.host_corner, kConstant);
  visitor.number("mixed_precision_kernels", value.mixed_precision_kernels, kConstant);
  visitor.whole("step_kernels", value.step_kernels, kConstant);
  visitor.number("decode_small_kernel_us", value.decode_small_kernel_us, kConstant);
  visitor.number("decode_ns_per_width", value.decode_ns_per_width, kConstant);
  visitor.number("decode_gap_us", value.decode_gap_us, kConstant);
  visitor.number("decode_attention_us", value.decode_attention_us, kConstant);
  visitor.number("decode_attention_short_factor", value.decode_attention_short_factor, kConstant);
  visitor.whole("short_context", value.short_context, kConstant);
  visitor.number("cache_read_share", value.cache_read_share, kConstant);
  visitor.number("training_overhead_mb", value.training_overhead_mb, kConstant);
  visitor.number("loss_residual_copies", value.loss_residual_copies, kConstant);
  visitor.number("workspace_low_mib", value.workspace_low_mib, kConstant);
  visitor.number("workspace_high_mib", value.workspace_high_mib, kConstant);
  visitor.number("workspace_half_gib", value.workspace_half_gib, kConstant);
  visitor.list("styles", value.styles, machine::Required{});
}

}  // namespace orrery::llm
