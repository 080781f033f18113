#include "llm/distil/layer_shapes.h"

// First a coarse table over all sizes: axes are coarse where groups lie, since a knot per group would learn them by
// heart, and then nothing about the next. Then finer ones over what groups have in common with others.

namespace orrery::llm {

std::vector<LayerShape> layer_shapes(machine::WarmKind kind) {
  using machine::WarmKind;
  switch (kind) {
    case WarmKind::gemm:
      return {{{"m", "n", "k"}, {30, 10, 10}, 0.001, 0.02},
              {{"m", "n"}, {30, 22}, 0.1, 0.15},
              {{"m", "k"}, {30, 22}, 0.1, 0.15},
              // Caches, and which kernel a library takes, go by the weights.
              {{"m", "weights"}, {30, 20}, 0.02, 0.02}};
    case WarmKind::sdpa_fwd:
      return {
          {{"heads in all", "sequence", "heads per key head", "head size", "window"}, {7, 10, 6, 5, 2}, 0.003, 0.01},
          // Kernels for each head size are written by hand, and some sizes have none.
          {{"sequence", "head size", "window"}, {17, 5, 2}, 0.001, 0.001},
          {{"blocks per unit", "sequence", "head size", "window"}, {20, 6, 5, 2}, 0.01, 0.01},
          {{"heads in all", "sequence"}, {16, 17}, 0.03, 0.03},
          {{"requests", "sequence"}, {9, 17}, 0.03, 0.03}};
    case WarmKind::sdpa_decode:
      return {{{"heads in all", "sequence", "heads per key head", "head size", "window"}, {6, 7, 6, 5, 2}, 0.003, 0.02},
              {{"sequence", "head size", "window"}, {17, 5, 2}, 0.003, 0.003},
              {{"keys in all", "sequence", "head size", "window"}, {16, 10, 5, 2}, 0.01, 0.01},
              {{"requests", "sequence"}, {12, 17}, 0.01, 0.01}};
    // Experts of half a dozen models: what they have in common is little, and soon learnt by heart.
    case WarmKind::moe: return {{{"tokens", "tokens per expert", "weights", "routing"}, {10, 9, 3, 2}, 0.3, 0.3}};
    case WarmKind::mla_fwd:
      return {{{"requests", "heads", "sequence"}, {6, 5, 9}, 0.01, 0.05},
              {{"requests", "sequence"}, {11, 17}, 0.1, 0.03},
              {{"heads", "sequence"}, {8, 17}, 0.1, 0.03},
              {{"heads", "keys in all"}, {8, 16}, 0.03, 0.03},
              {{"sequence", "heads in all"}, {17, 12}, 0.1, 0.03}};
    case WarmKind::mla_decode: break;
  }
  return {{{"requests", "heads", "sequence"}, {6, 5, 9}, 0.003, 0.02},
          {{"requests", "sequence"}, {11, 17}, 0.03, 0.03},
          {{"heads", "sequence"}, {8, 17}, 0.03, 0.03},
          {{"heads", "keys in all"}, {8, 16}, 0.03, 0.03}};
}

}  // namespace orrery::llm
