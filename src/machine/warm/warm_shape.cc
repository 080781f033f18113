#include "machine/warm/warm_shape.h"

#include <algorithm>
#include <cmath>

namespace orrery::machine {

std::vector<std::string_view> coordinate_names(WarmKind kind) {
  switch (kind) {
    case WarmKind::gemm: return {"m", "n", "k", "weights"};
    case WarmKind::sdpa_fwd:
      return {"heads in all", "sequence", "head size", "heads per key head", "window", "blocks per unit", "requests"};
    case WarmKind::sdpa_decode:
      return {"heads in all", "sequence", "head size", "heads per key head", "window", "keys in all", "requests"};
    case WarmKind::moe: return {"tokens", "tokens per expert", "weights", "routing"};
    case WarmKind::mla_fwd:
    case WarmKind::mla_decode: break;
  }
  return {"requests", "heads", "sequence", "heads in all", "keys in all"};
}

std::optional<std::size_t> coordinate_called(WarmKind kind, std::string_view name) {
  const auto names = coordinate_names(kind);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

std::vector<double> coordinates_of(const Device& device, const WarmKernel& x) {
  // An axis of two knots, 1 and 2: no and yes.
  const auto answer = [](bool yes) { return yes ? std::log(2.0) : 0.0; };
  // Libraries take another kernel for windows, also where the context is shorter.
  const double windowed = answer(x.window > 0);
  switch (x.kind) {
    case WarmKind::gemm: return {std::log(x.m), std::log(x.n), std::log(x.k), std::log(x.n * x.k)};
    case WarmKind::sdpa_fwd: {
      constexpr double kQueriesOfBlock = 128;
      const double blocks = x.batch * x.heads * std::ceil(x.seq / kQueriesOfBlock);
      return {std::log(x.batch * x.heads),
              std::log(x.seq),
              std::log(x.dim),
              std::log(x.heads / x.kv_heads),
              windowed,
              std::log(blocks / static_cast<double>(device.compute_unit_count)),
              std::log(x.batch)};
    }
    case WarmKind::sdpa_decode: {
      const double length = x.window > 0 ? std::min(x.window, x.seq) : x.seq;
      return {std::log(x.batch * x.kv_heads),
              std::log(x.seq),
              std::log(x.dim),
              std::log(x.heads / x.kv_heads),
              windowed,
              std::log(length * x.batch * x.kv_heads),
              std::log(x.batch)};
    }
    case WarmKind::moe:
      return {std::log(x.m), std::log(x.m * x.top_k / busy_experts(x)), std::log(x.experts * x.hidden * x.inter / x.tp),
              answer(!x.balanced)};
    case WarmKind::mla_fwd:
    case WarmKind::mla_decode: break;
  }
  return {std::log(x.batch), std::log(x.heads), std::log(x.seq), std::log(x.batch * x.heads),
          std::log(x.batch * x.seq)};
}

std::vector<double> group_of(const WarmKernel& x) {
  switch (x.kind) {
    case WarmKind::gemm: return {x.n, x.k};
    case WarmKind::sdpa_fwd:
    case WarmKind::sdpa_decode: return {x.heads, x.kv_heads, x.dim, x.window};
    case WarmKind::moe: return {x.hidden, x.inter, x.experts, x.top_k};
    case WarmKind::mla_fwd:
    case WarmKind::mla_decode: break;
  }
  return {x.heads, x.batch};
}

std::vector<double> steps_of(const WarmKernel& x) {
  switch (x.kind) {
    case WarmKind::gemm: return {x.m};
    case WarmKind::sdpa_fwd:
    case WarmKind::sdpa_decode: return {x.batch, x.seq};
    case WarmKind::moe: return {x.m, x.tp};
    case WarmKind::mla_fwd:
    case WarmKind::mla_decode: break;
  }
  return {x.seq};
}

std::vector<std::string_view> step_names(WarmKind kind) {
  switch (kind) {
    case WarmKind::gemm: return {"m"};
    case WarmKind::sdpa_fwd:
    case WarmKind::sdpa_decode: return {"requests", "sequence"};
    case WarmKind::moe: return {"tokens", "ranks"};
    case WarmKind::mla_fwd:
    case WarmKind::mla_decode: break;
  }
  return {"sequence"};
}

}  // namespace orrery::machine
