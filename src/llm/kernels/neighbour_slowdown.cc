#include "llm/kernels/neighbour_slowdown.h"

#include <algorithm>
#include <array>

namespace orrery::llm {
namespace {

using machine::Sensitivity;

/// Kinds that depend on more than bandwidth, which all others do; the longest prefix that fits comes first.
struct BoundKind {
  std::string_view prefix;
  Sensitivity sensitivity;
};
constexpr std::array kBound = {
    BoundKind{"sdpa_decode", machine::kStreamBeside},  // reads keys and values, and does little else
    BoundKind{"mla_decode", machine::kStreamBeside},
    BoundKind{"sdpa_", machine::kAttentionBeside},
    BoundKind{"mla_", machine::kAttentionBeside},
    BoundKind{"layernorm", machine::kNormBeside},
    BoundKind{"rmsnorm", machine::kNormBeside},
    BoundKind{"softmax", machine::kSoftmaxBeside},
    BoundKind{"gpt_layer_", machine::kMixBeside},
    BoundKind{"lstm_cell", machine::kMixBeside},
    BoundKind{"moe", machine::kMixBeside},
};

}  // namespace

double neighbour_slowdown(std::string_view kind, const machine::Device& device, const KernelSizes& sizes,
                          const machine::Neighbour& neighbour) {
  if (!neighbour.is_there()) return 1;
  if (kind == "copy_h2d" || kind == "copy_d2h") return 1;  // by a copy engine, as fast as the host link
  if (kind.ends_with("gemm")) {
    const bool grouped = kind.starts_with("grouped");
    const machine::GemmShape shape{.m = grouped ? std::max(sizes.m / sizes.experts, 1.0) : sizes.m,
                                   .n = sizes.n,
                                   .k = sizes.k,
                                   .batch = grouped ? sizes.experts : std::max(sizes.batch, 1.0),
                                   .type = *sizes.type};
    return machine::product_slowdown(device, shape, neighbour);
  }
  const auto bound =
      std::find_if(kBound.begin(), kBound.end(), [kind](const BoundKind& one) { return kind.starts_with(one.prefix); });
  return machine::slowdown(device, bound != kBound.end() ? bound->sensitivity : machine::kStreamBeside, neighbour);
}

}  // namespace orrery::llm
