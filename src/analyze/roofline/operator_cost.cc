#include "analyze/roofline/operator_cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "analyze/capture/operand_lists.h"
#include "analyze/roofline/convolution_cost.h"
#include "analyze/roofline/operands.h"

// A formula is a function of operands; which operator has which is one table, looked through once per distinct call.

namespace orrery::analyze {
namespace {

using machine::DataType;

using Cost = std::optional<OperatorCost>;

Cost gemm(const Operands& given, double batch, double m, double n, double k, std::size_t a, std::size_t b,
          std::optional<std::size_t> bias) {
  OperatorCost cost{.kind = OperatorKind::gemm, .type = given.type(a), .m = m, .n = n, .k = k, .batch = batch};
  cost.flops = 2 * batch * m * n * k;
  // Products of 8-bit numbers are written with 16 bits or more: 8 would lose what was computed.
  const double out = std::max(given.element_bytes(a), 2.0);
  cost.bytes = batch * (m * k * given.element_bytes(a) + k * n * given.element_bytes(b) + m * n * out);
  if (bias && given.is_tensor(*bias)) cost.bytes += given.bytes(*bias);
  return cost;
}

/// a [.., M, K] times b [.., K, N], batches alike or of one side alone.
Cost product(const Operands& given, std::size_t a, std::size_t b, std::optional<std::size_t> bias) {
  if (!given.is_tensor(a) || !given.is_tensor(b)) return std::nullopt;
  const Shape &x = given.shape(a), &y = given.shape(b);
  if (x.size() == 1 || y.size() == 1) {
    // A vector is a matrix of one row or one column.
    const double k = static_cast<double>(x.size() == 1 ? x[0] : x.back());
    const double m = static_cast<double>(elements(x)) / k, n = static_cast<double>(elements(y)) / k;
    return k == 0 ? Cost() : gemm(given, 1, m, n, k, a, b, bias);
  }
  const double k = static_cast<double>(x.back());
  if (y.size() < 2 || static_cast<double>(y[y.size() - 2]) != k || k == 0) return std::nullopt;
  const double m = static_cast<double>(x[x.size() - 2]), n = static_cast<double>(y.back());
  const double batch_x = elements(x) / (m * k), batch_y = elements(y) / (k * n);
  // One matrix for all batches is read once: the batches of the other are more rows.
  if (batch_y == 1) return gemm(given, 1, m * batch_x, n, k, a, b, bias);
  if (batch_x != batch_y && batch_x != 1) return std::nullopt;
  return gemm(given, batch_y, m, n, k, a, b, bias);
}

/// a [.., K] times the transposed weight [N, K].
Cost linear(const Operands& given) {
  if (!given.is_tensor(0) || !given.is_tensor(1) || given.shape(1).size() != 2) return std::nullopt;
  const double k = static_cast<double>(given.shape(0).back()), n = static_cast<double>(given.shape(1)[0]);
  if (k == 0 || static_cast<double>(given.shape(1)[1]) != k) return std::nullopt;
  return gemm(given, 1, elements(given.shape(0)) / k, n, k, 0, 1, 2);
}

/// Experts of `all` that `rows` draws of `each` hit, if they draw at random.
double experts_hit(double all, double each, double rows) {
  return all <= 0 ? 0 : all * (1 - std::pow(1 - std::min(1.0, each / all), rows));
}

/// rows [T, K] times the matrices [E, K, N], each row by one of them.
Cost grouped(const Operands& given) {
  if (!given.is_tensor(0) || !given.is_tensor(1) || given.shape(0).size() != 2 || given.shape(1).size() != 3)
    return std::nullopt;
  const double rows = static_cast<double>(given.shape(0)[0]), k = static_cast<double>(given.shape(0)[1]);
  const double experts = static_cast<double>(given.shape(1)[0]), n = static_cast<double>(given.shape(1)[2]);
  OperatorCost cost{.kind = OperatorKind::grouped_gemm, .flops = 2 * rows * k * n, .type = given.type(0)};
  cost.bytes = rows * k * given.element_bytes(0) + experts_hit(experts, 1, rows) * k * n * given.element_bytes(1) +
               rows * n * std::max(2.0, given.element_bytes(0));
  return cost;
}

/// tokens [T, K], both weights [E, 2 N, K] and [E, K, N], and for each token k experts.
Cost fused_experts(const Operands& given) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (!given.is_tensor(i)) return std::nullopt;
  }
  if (given.shape(0).size() != 2 || given.shape(1).size() != 3 || given.shape(2).size() != 3 ||
      given.shape(3).size() != 2)
    return std::nullopt;
  const double tokens = static_cast<double>(given.shape(0)[0]), chosen = static_cast<double>(given.shape(3)[1]);
  const double experts = static_cast<double>(given.shape(1)[0]);
  const double first = elements(given.shape(1)) / std::max(1.0, experts);
  const double second = elements(given.shape(2)) / std::max(1.0, experts);
  OperatorCost cost{
      .kind = OperatorKind::grouped_gemm, .flops = 2 * tokens * chosen * (first + second), .type = given.type(0)};
  const double hit = experts_hit(experts, chosen, tokens);
  cost.bytes = 2 * given.bytes(0) + hit * (first * given.element_bytes(1) + second * given.element_bytes(2));
  return cost;
}

struct AttentionForm {
  std::string_view name;
  bool heads_first;  ///< [B, H, N, D], else [B, N, H, D]
  std::size_t causal;
};
constexpr AttentionForm kAttention[] = {
    {"aten::scaled_dot_product_attention", true, 5},
    {"aten::_scaled_dot_product_flash_attention", true, 4},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", true, 4},
    {"aten::_scaled_dot_product_efficient_attention", true, 6},
    {"aten::_scaled_dot_product_cudnn_attention", true, 6},
    {"aten::_scaled_dot_product_fused_attention_overrideable", true, 5},
    {"aten::_flash_attention_forward", false, 8},
    {"aten::_efficient_attention_forward", false, 9},
};

Cost attention(const Operands& given, const AttentionForm& form) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (!given.is_tensor(i) || given.shape(i).size() != 4) return std::nullopt;
  }
  const auto size = [&](std::size_t operand, std::size_t heads_first, std::size_t rows_first) {
    return static_cast<double>(given.shape(operand)[form.heads_first ? heads_first : rows_first]);
  };
  const double batch = size(0, 0, 0), heads = size(0, 1, 2), queries = size(0, 2, 1), keys = size(1, 2, 1);
  const double width = size(0, 3, 3), value_width = size(2, 3, 3);
  double pairs = queries * keys;
  // A query looks at the keys up to its own place: at the last one, at all.
  if (given.is_true(form.causal)) pairs -= queries * (queries - 1) / 2;
  OperatorCost cost{.kind = OperatorKind::attention, .type = given.type(0)};
  cost.flops = 2 * batch * heads * pairs * (width + value_width);
  cost.bytes =
      given.bytes(0) + given.bytes(1) + given.bytes(2) + batch * heads * queries * value_width * given.element_bytes(0);
  return cost;
}

/// query [T, H, D], key and value [T, H_kv, D] of the new tokens; what it looks back at lies in the engine's cache, and
/// how much that is only the step's name says.
Cost engine_attention(const Operands& given, const RequestLengths* lengths) {
  if (lengths == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!given.is_tensor(i) || given.shape(i).size() != 3) return std::nullopt;
  }
  const double heads = static_cast<double>(given.shape(0)[1]), kv_heads = static_cast<double>(given.shape(1)[1]);
  const double widths = static_cast<double>(given.shape(0)[2] + given.shape(2)[2]);
  const double pairs =
      lengths->context_query_keys - lengths->context_query_squares / 2 + lengths->generation_query_keys;
  OperatorCost cost{.kind = OperatorKind::attention, .flops = 2 * heads * pairs * widths, .type = given.type(0)};
  cost.bytes = 2 * given.bytes(0) + lengths->kv_tokens * kv_heads * widths * given.element_bytes(1);
  return cost;
}

/// Every tensor is read, and something as large as the first, or as all of them broadcast, is written.
Cost per_element(const Operands& given, OperatorKind kind, double flops_per_element, bool broadcasts) {
  if (!given.is_tensor(0)) return std::nullopt;
  OperatorCost cost{.kind = kind, .type = given.type(0)};
  double written = elements(given.shape(0));
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given.is_tensor(i)) continue;
    cost.bytes += given.bytes(i);
    if (broadcasts) written = std::max(written, given.broadcast_elements());
  }
  cost.bytes += written * given.element_bytes(0);
  cost.flops = flops_per_element * written;
  return cost;
}

Cost copy(const Operands& given) {
  if (!given.is_tensor(0) || !given.is_tensor(1)) return std::nullopt;
  return OperatorCost{
      .kind = OperatorKind::copy, .flops = 0, .bytes = given.bytes(0) + given.bytes(1), .type = given.type(0)};
}

/// Operators that compute each element of their result from the elements at the same place.
bool is_elementwise(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "abs",       "add",   "bitwise_and", "bitwise_not", "bitwise_or", "ceil",      "clamp",       "clamp_max",
      "clamp_min", "cos",   "div",         "eq",          "erf",        "exp",       "floor",       "floor_divide",
      "fmod",      "ge",    "gelu",        "gt",          "hardswish",  "hardtanh",  "le",          "leaky_relu",
      "lerp",      "log",   "logical_and", "logical_not", "logical_or", "lt",        "masked_fill", "maximum",
      "minimum",   "mish",  "mul",         "ne",          "neg",        "pow",       "reciprocal",  "relu",
      "remainder", "round", "rsqrt",       "rsub",        "sigmoid",    "sign",      "silu",        "sin",
      "softplus",  "sqrt",  "square",      "sub",         "tanh",       "threshold", "where"};
  if (!name.starts_with("aten::")) return false;
  name.remove_prefix(6);
  if (name.ends_with('_')) name.remove_suffix(1);  // in place
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Cost formula(std::string_view name, const Operands& given, const RequestLengths* lengths) {
  if (is_one_of(name, {"aten::mm", "aten::bmm", "aten::matmul", "aten::_scaled_mm", "aten::_int_mm"}))
    return product(given, 0, 1, std::nullopt);
  if (is_one_of(name, {"aten::addmm", "aten::baddbmm", "aten::addmm_", "aten::_addmm_activation"}))
    return product(given, 1, 2, 0);
  if (is_one_of(name, {"aten::linear", "vllm::rocm_unquantized_gemm", "aiter::gemm_a16w16"})) return linear(given);
  if (is_one_of(name, {"aten::_grouped_mm", "aten::_scaled_grouped_mm"})) return grouped(given);
  if (name.ends_with("fused_experts")) return fused_experts(given);
  for (const AttentionForm& form : kAttention) {
    if (form.name == name) return attention(given, form);
  }
  if (name.find("unified_attention") != std::string_view::npos) return engine_attention(given, lengths);
  if (const auto conv = convolution_cost(name, given)) return conv;
  // Gradients of norms and softmaxes read other things than these formulas say.
  const bool is_backward = name.find("backward") != std::string_view::npos;
  if (!is_backward && is_one_of(name, {"aten::_softmax", "aten::softmax", "aten::_log_softmax", "aten::log_softmax"}))
    return per_element(given, OperatorKind::softmax, 5, false);
  if (!is_backward && name.find("norm") != std::string_view::npos)
    return per_element(given, OperatorKind::norm, 5, false);
  if (name == "aten::copy_") return copy(given);
  if (is_elementwise(name)) return per_element(given, OperatorKind::elementwise, 1, true);
  return std::nullopt;
}

}  // namespace

std::optional<OperatorCost> cost_of(const OperatorCall& call, const RequestLengths* lengths) {
  if (call.shapes.empty()) return std::nullopt;
  const std::optional<Operands> given = Operands::parse(call);
  if (!given) return std::nullopt;
  const Cost cost = formula(call.name, *given, lengths);
  // Sizes that a damaged recording made up: no device has done as much.
  constexpr double kMost = 9.2e18;
  if (!cost || !(cost->flops < kMost) || !(cost->bytes < kMost) || cost->flops < 0 || !(cost->bytes > 0))
    return std::nullopt;
  return cost;
}

}  // namespace orrery::analyze
