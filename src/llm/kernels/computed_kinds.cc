// Kernels by name that are more than a stream of bytes: products, attention, softmax, norms, copies, blocks, cells.
#include "llm/kernels/kernel_kinds.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "llm/closed_forms/eager_block.h"
#include "machine/device/kernel_standalone.h"

namespace orrery::llm {
namespace {

using D = machine::Device;
using S = KernelSizes;
using Shares = machine::ElementwiseShares;

bool alone(const S& s) { return s.run == KernelRun::alone; }
machine::GemmRun run_of(const D& d, const S& s) { return alone(s) ? machine::alone(d) : machine::in_stream(d); }

double product_seconds_of(const D& d, const S& s, double m, double batch) {
  return machine::gemm_seconds(d, {.m = m, .n = s.n, .k = s.k, .batch = batch, .type = *s.type}, run_of(d, s));
}
double gemm_kind(const D& d, const S& s) { return product_seconds_of(d, s, s.m, s.batch > 0 ? s.batch : 1); }
/// One product per expert in one kernel; tokens are spread evenly.
double grouped_gemm_kind(const D& d, const S& s) {
  return product_seconds_of(d, s, std::max(s.m / s.experts, 1.0), s.experts);
}

double softmax_kind(const D& d, const S& s) {
  if (alone(s)) return machine::softmax_seconds(d.standalone->softmax, s.m, s.n);
  return elementwise_seconds(d, &Shares::norm_forward, 2 * kElementBytes * s.m * s.n);
}
double norm_kind(const D& d, const S& s) {
  if (alone(s)) return machine::norm_seconds(d.standalone->norm, static_cast<double>(d.compute_unit_count), s.m, s.n);
  return elementwise_seconds(d, &Shares::norm_forward, 2 * kElementBytes * s.m * s.n);
}

/// Of copies, m is the number of bytes. Between others in a stream they only lose what events add.
double copied(const machine::StreamingKernel& kernel, double bytes, const S& s) {
  return machine::streaming_seconds({alone(s) ? kernel.floor_us : 0, kernel.bandwidth_gb_per_s}, bytes);
}
double host_copy_kind(const D& d, const S& s) { return copied(d.standalone->host_copy, s.m, s); }
double device_copy_kind(const D& d, const S& s) { return copied(d.standalone->device_copy, 2 * s.m, s); }

machine::AttentionShape attention_shape(const S& s) {
  return {.batch = s.batch,
          .heads = s.heads,
          .head_size = s.dim,
          .sequence = s.seq,
          .causal = s.causal,
          .kv_heads = s.kv_heads,
          .value_size = s.v_dim,
          .window = s.window};
}
double attention_seconds(const D& d, const S& s, machine::AttentionPass pass) {
  using machine::AttentionPass;
  const machine::AttentionShape shape = attention_shape(s);
  if (alone(s)) return machine::attention_alone_seconds(d, d.standalone->attention, shape, pass);
  const double forward = pass == AttentionPass::backward ? 0 : machine::attention_forward_seconds(d, shape);
  return forward + (pass == AttentionPass::forward ? 0 : machine::attention_backward_seconds(d, shape));
}
double attention_forward_kind(const D& d, const S& s) {
  return attention_seconds(d, s, machine::AttentionPass::forward);
}
double attention_backward_kind(const D& d, const S& s) {
  return attention_seconds(d, s, machine::AttentionPass::backward);
}
double attention_both_kind(const D& d, const S& s) { return attention_seconds(d, s, machine::AttentionPass::both); }

/// One token per request: the keys and values of its context, as far as a window goes, are read once, and nothing else
/// takes time.
double attention_decode_kind(const D& d, const S& s) {
  const machine::AttentionShape shape = attention_shape(s);
  const double context = shape.is_windowed() ? s.window : s.seq;
  const double bytes = kElementBytes * s.batch * context * shape.key_heads() * (shape.head_size + shape.value_width());
  const double bandwidth = d.gemm.memory_share * d.memory_bytes_per_s() * 1e-9;
  const double floor_us = alone(s) ? d.standalone->attention.floor_us : d.gemm.stream_floor_us;
  return machine::elementwise_alone_seconds(d, {floor_us, bandwidth}, bytes, 0);
}

double block_seconds(const D& device, const S& s, bool with_backward) {
  const BlockShape block{.style = BlockStyle::gpt,
                         .batch = s.batch,
                         .sequence = s.seq,
                         .hidden = s.hidden,
                         .ffn = 4 * s.hidden,
                         .heads = s.heads,
                         .kv_width = s.hidden};
  const machine::BlockKernel kernel = alone(s) ? device.standalone->block : machine::BlockKernel{.factor = 1};
  const double forward = kernel.factor * seconds_of(device, forward_kernels(block)).sum();
  if (!with_backward) return kernel.forward_us * 1e-6 + forward;
  return kernel.both_us * 1e-6 + forward + kernel.factor * seconds_of(device, backward_kernels(block)).sum();
}
double block_forward_kind(const D& d, const S& s) { return block_seconds(d, s, false); }
double block_both_kind(const D& d, const S& s) { return block_seconds(d, s, true); }

/// The gates of an LSTM cell: a product each with the input and with the state, then one element-wise kernel. Only the
/// first kernel is timed from an event; the others follow in the stream.
double cell_seconds(const D& d, const S& s, std::initializer_list<machine::GemmShape> products, double passes) {
  machine::GemmRun run = run_of(d, s);
  double seconds = 0;
  for (machine::GemmShape shape : products) {
    shape.type = *s.type;
    seconds += machine::gemm_seconds(d, shape, run);
    run = machine::in_stream(d);
  }
  const double bytes = passes * s.element_bytes() * s.batch * s.hidden;
  if (!alone(s)) return seconds + elementwise_seconds(d, &Shares::activation_forward, bytes);
  return seconds + machine::streaming_seconds({d.gemm.stream_floor_us, d.standalone->gelu.bandwidth_gb_per_s}, bytes);
}
double cell_forward_kind(const D& d, const S& s) {
  const double in = s.dim > 0 ? s.dim : s.hidden, gates = 4 * s.hidden;
  // Both products and the old cell in; state, cell and the gates for the backward pass out.
  return cell_seconds(d, s, {{s.batch, gates, in}, {s.batch, gates, s.hidden}}, 4 + 4 + 1 + 2 + 4);
}
double cell_backward_kind(const D& d, const S& s) {
  const double in = s.dim > 0 ? s.dim : s.hidden, gates = 4 * s.hidden;
  // Two gradients, the gates and both cells in; the gradients of gates and cell out.
  return cell_seconds(
      d, s, {{s.batch, in, gates}, {s.batch, s.hidden, gates}, {gates, in, s.batch}, {gates, s.hidden, s.batch}},
      2 + 4 + 2 + 4 + 1);
}

}  // namespace

std::vector<KernelKind> computed_kinds() {
  using Price = double (*)(const D&, const S&);
  const auto kind = [](std::string_view name, Formats formats, std::vector<double S::*> needs, Price seconds,
                       bool timed) {
    return KernelKind{.name = name, .formats = formats, .needs = std::move(needs), .seconds = seconds, .timed = timed};
  };
  const std::vector<double S::*> heads = {&S::batch, &S::heads, &S::seq, &S::dim};
  const std::vector<double S::*> block = {&S::batch, &S::heads, &S::seq, &S::hidden};
  std::vector<KernelKind> kinds = {
      kind("gemm", Formats::rated, {&S::m, &S::n, &S::k}, gemm_kind, true),
      kind("batched_gemm", Formats::rated, {&S::m, &S::n, &S::k, &S::batch}, gemm_kind, false),
      kind("grouped_gemm", Formats::rated, {&S::m, &S::n, &S::k, &S::experts}, grouped_gemm_kind, false),
      kind("softmax", Formats::two_byte, {&S::m, &S::n}, softmax_kind, true),
      kind("layernorm", Formats::two_byte, {&S::m, &S::n}, norm_kind, true),
      kind("rmsnorm", Formats::two_byte, {&S::m, &S::n}, norm_kind, true),
      kind("copy_h2d", Formats::any, {&S::m}, host_copy_kind, true),
      kind("copy_d2h", Formats::any, {&S::m}, host_copy_kind, true),
      kind("copy_d2d", Formats::any, {&S::m}, device_copy_kind, true),
      kind("sdpa_fwd", Formats::two_byte, heads, attention_forward_kind, true),
      kind("sdpa_bwd", Formats::two_byte, heads, attention_backward_kind, false),
      kind("sdpa_fwd_bwd", Formats::two_byte, heads, attention_both_kind, true),
      kind("sdpa_decode", Formats::two_byte, heads, attention_decode_kind, false),
      kind("gpt_layer_fwd", Formats::two_byte, block, block_forward_kind, true),
      kind("gpt_layer_fwd_bwd", Formats::two_byte, block, block_both_kind, true),
      kind("lstm_cell", Formats::rated, {&S::batch, &S::hidden}, cell_forward_kind, false),
      kind("lstm_cell_bwd", Formats::rated, {&S::batch, &S::hidden}, cell_backward_kind, false),
  };
  // Products have constants of their own, whether or not anything else was timed.
  for (KernelKind& one : kinds) one.standalone = !one.name.ends_with("gemm");
  return kinds;
}

}  // namespace orrery::llm
