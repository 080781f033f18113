#include "llm/kernels/warm_rows.h"

#include <algorithm>
#include <vector>

namespace orrery::llm {
namespace {

using machine::WarmKind;
using S = KernelSizes;

const std::vector<double S::*>& needs_of(WarmKind kind) {
  static const std::vector<double S::*> product = {&S::m, &S::n, &S::k};
  static const std::vector<double S::*> attention = {&S::batch, &S::heads, &S::seq, &S::dim};
  static const std::vector<double S::*> latent = {&S::batch, &S::heads, &S::seq};
  static const std::vector<double S::*> experts = {&S::m, &S::hidden, &S::inter, &S::experts, &S::top_k};
  switch (kind) {
    case WarmKind::gemm: return product;
    case WarmKind::sdpa_fwd:
    case WarmKind::sdpa_decode: return attention;
    case WarmKind::moe: return experts;
    case WarmKind::mla_fwd:
    case WarmKind::mla_decode: break;
  }
  return latent;
}

}  // namespace

std::optional<WarmKind> warm_kind(std::string_view name) {
  const auto& names = machine::kWarmKindNames;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<WarmKind>(found - names.begin());
}

bool has_warm_sizes(WarmKind kind, const KernelSizes& sizes) {
  const auto& needs = needs_of(kind);
  return std::none_of(needs.begin(), needs.end(), [&](const auto size) { return sizes.*size == 0; });
}

machine::WarmKernel warm_kernel(WarmKind kind, const KernelSizes& s) {
  return {.kind = kind,
          .format = s.format.value_or(machine::WarmFormat::bf16),
          .cache_element_bytes = s.cache_type ? machine::bytes_of(*s.cache_type) : 2,
          .m = s.m,
          .n = s.n,
          .k = s.k,
          .batch = s.batch,
          .heads = s.heads,
          .kv_heads = s.kv_heads > 0 ? s.kv_heads : s.heads,
          .seq = s.seq,
          .dim = s.dim,
          .window = s.window,
          .hidden = s.hidden,
          .inter = s.inter,
          .experts = s.experts,
          .top_k = s.top_k,
          .tp = s.tp > 0 ? s.tp : 1,
          .balanced = s.balanced};
}

}  // namespace orrery::llm
