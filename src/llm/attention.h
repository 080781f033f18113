// Attention as one rank of a layer has it: its matrices, its work and what it keeps. Grouped-query and latent attention
// differ here and nowhere else.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "llm/architecture.h"

namespace orrery::llm {

/// Matrices have whole rows and columns, and at least one.
inline double whole_extent(double extent) { return std::max(1.0, std::floor(extent)); }

/// A matrix of a layer, as one rank has it.
struct Projection {
  double out = 0, in = 0;
};
double parameters_of_all(const std::vector<Projection>& projections);

/// The last one leads back to the hidden state. Of latent attention the first leads down, those between lead up.
std::vector<Projection> attention_projections(const Architecture& model, double tensor_parallel);

/// Of a head: the sizes of its query (or key) and of its value together.
double head_sizes(const Architecture& model);

/// Of causal flash attention forward, on one rank.
double attention_flop_of_layer(const Architecture& model, double tokens, double sequence, double tensor_parallel);

/// Elements of one token's keys and values on one rank: what a cache holds, and what context parallelism gathers. Where
/// there are more tensor ranks than heads of keys, each has one; latent ones are not divided at all.
double key_value_width(const Architecture& model, double tensor_parallel);

/// Elements per token, of all heads, that the backward pass of attention needs.
struct KeptAttention {
  double inputs = 0;  ///< queries, keys, values and what they are made from
  double output = 0;
};
/// `recomputed`: the projections are run again. Grouped-query attention keeps its queries all the same; latent
/// attention then keeps only what the up-projections read, which is much less than what they make.
KeptAttention kept_attention(const Architecture& model, bool recomputed);

}  // namespace orrery::llm
