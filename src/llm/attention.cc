#include "llm/attention.h"

namespace orrery::llm {
namespace {

// Flash attention computes whole blocks along the causal diagonal: as in machine/device/kernel_attention.
constexpr double kDiagonalBlock = 128;

}  // namespace

double parameters_of_all(const std::vector<Projection>& projections) {
  double sum = 0;
  for (const Projection& one : projections) sum += one.out * one.in;
  return sum;
}

std::vector<Projection> attention_projections(const Architecture& m, double tp) {
  if (!m.latent_attention)
    return {{(m.heads + 2 * m.kv_heads) * m.head_size / tp, m.hidden}, {m.hidden, m.heads * m.head_size / tp}};
  const LatentAttention& l = *m.latent_attention;
  // Down-projections are small and not split; up-projections are, by heads.
  return {{l.query_rank + l.key_value_rank + l.rotary_size, m.hidden},
          {m.heads * (l.plain_size + l.rotary_size) / tp, l.query_rank},
          {m.heads * (l.plain_size + l.value_size) / tp, l.key_value_rank},
          {m.hidden, m.heads * l.value_size / tp}};
}

double head_sizes(const Architecture& m) {
  if (!m.latent_attention) return 2 * m.head_size;
  return m.latent_attention->plain_size + m.latent_attention->rotary_size + m.latent_attention->value_size;
}

double attention_flop_of_layer(const Architecture& m, double tokens, double sequence, double tp) {
  return 2 * tokens * m.heads / tp * head_sizes(m) * (sequence + kDiagonalBlock) / 2 * m.attention_window_share;
}

double key_value_width(const Architecture& m, double tp) {
  if (m.latent_attention) return m.latent_attention->key_value_rank + m.latent_attention->rotary_size;
  return 2 * m.kv_width() / std::min(tp, m.kv_heads);
}

KeptAttention kept_attention(const Architecture& m, bool recomputed) {
  if (!m.latent_attention) return {.inputs = m.heads * m.head_size + 2 * m.kv_width(), .output = m.heads * m.head_size};
  const LatentAttention& l = *m.latent_attention;
  const double output = m.heads * l.value_size;
  if (recomputed) return {.inputs = l.query_rank + l.key_value_rank + l.rotary_size, .output = output};
  return {.inputs = m.heads * (2 * (l.plain_size + l.rotary_size) + l.value_size), .output = output};
}

}  // namespace orrery::llm
