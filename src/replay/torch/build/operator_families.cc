#include "replay/torch/build/operator_families.h"

namespace orrery::replay::torch {
namespace {

// Words with a blank between each two.
constexpr std::string_view kPointwise =
    "add sub rsub mul div pow remainder fmod maximum minimum atan2 lerp addcmul addcdiv where copy _to_copy clone fill "
    "zero to "
    "contiguous detach alias lift_fresh lift record_stream _local_scalar_dense item gelu gelu_backward silu "
    "silu_backward relu relu6 "
    "threshold threshold_backward leaky_relu leaky_relu_backward elu elu_backward softplus softplus_backward hardtanh "
    "hardtanh_backward "
    "hardswish hardswish_backward hardsigmoid hardsigmoid_backward mish mish_backward sigmoid sigmoid_backward "
    "log_sigmoid_forward "
    "log_sigmoid_backward tanh tanh_backward exp expm1 log log1p log2 sqrt rsqrt square abs neg sign sin cos erf "
    "reciprocal floor ceil "
    "round trunc clamp clamp_min clamp_max eq ne lt le gt ge logical_and logical_or logical_not bitwise_and bitwise_or "
    "bitwise_not "
    "isnan isinf masked_fill native_dropout native_dropout_backward bernoulli normal uniform random _softmax "
    "_log_softmax "
    "_softmax_backward_data _log_softmax_backward_data cumsum";

constexpr std::string_view kReductions =
    "sum mean amax amin max min argmax argmin any all prod norm linalg_vector_norm logsumexp var std";

constexpr std::string_view kShapedByMemory =
    "empty empty_strided empty_like new_empty new_empty_strided zeros new_zeros zeros_like ones ones_like full "
    "full_like resize view "
    "_unsafe_view _reshape_alias reshape as_strided t transpose permute unsqueeze squeeze expand arange";

bool has_word(std::string_view words, std::string_view word) {
  if (word.empty()) return false;
  for (std::size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

}  // namespace

OperatorFamily family_of(std::string_view name) {
  if (has_word(kPointwise, name)) return OperatorFamily::pointwise;
  if (has_word(kReductions, name)) return OperatorFamily::reduction;
  if (has_word(kShapedByMemory, name)) return OperatorFamily::shaped_by_memory;
  return OperatorFamily::other;
}

}  // namespace orrery::replay::torch
