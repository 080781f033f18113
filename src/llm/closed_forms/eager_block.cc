#include "llm/closed_forms/eager_block.h"

#include <cmath>

namespace orrery::llm {
namespace {

using Shares = machine::ElementwiseShares;

machine::AttentionShape attention_of(const BlockShape& s) {
  return {s.batch, s.heads, std::floor(s.hidden / s.heads), s.sequence};
}

/// Linears that read a norm's output: autocast casts it again for each.
double casts_of_norms(const BlockShape& s) { return s.style == BlockStyle::gpt ? 2 : 5; }

}  // namespace

std::vector<Linear> linears_of(const BlockShape& s) {
  const double h = s.hidden, f = s.ffn, kv = s.kv_width;
  // Queries, keys and values are one product; in the other style one each, and gate and up are two.
  if (s.style == BlockStyle::gpt) return {{h, h + 2 * kv}, {h, h}, {h, f}, {f, h}};
  return {{h, h}, {h, kv}, {h, kv}, {h, h}, {h, f}, {h, f}, {f, h}};
}

double matrix_parameters(const BlockShape& s) {
  double sum = 0;
  for (const Linear& linear : linears_of(s)) sum += linear.in * linear.out;
  return sum;
}

double block_parameters(const BlockShape& s) {
  // Two RMSNorms have a scale each, and nothing has a bias.
  if (s.style == BlockStyle::llama) return matrix_parameters(s) + 2 * s.hidden;
  double biases = 0;
  for (const Linear& linear : linears_of(s)) biases += linear.out;
  // Two LayerNorms have scale and shift.
  return matrix_parameters(s) + biases + 4 * s.hidden;
}

std::vector<Kernel> forward_kernels(const BlockShape& s) {
  const double t = s.tokens(), h = s.hidden, f = s.ffn, r = s.residual_bytes();
  std::vector<Kernel> list;
  for (const Linear& linear : linears_of(s)) list.push_back(product(t, linear.out, linear.in));
  list.push_back(attention_forward(attention_of(s)));
  list.push_back(elementwise(&Shares::norm_forward, 2 * 2 * r * t * h));  // two norms: read, write
  list.push_back(elementwise(&Shares::add, 2 * (2 * r + 2) * t * h));     // two residual sums
  // In and out, in 16 bits.
  list.push_back(elementwise(&Shares::activation_forward, 4 * t * f));
  if (s.mixed_precision) list.push_back(elementwise(&Shares::cast, casts_of_norms(s) * 6 * t * h));
  if (s.style == BlockStyle::llama) {
    list.push_back(elementwise(&Shares::add, 6 * t * f));                                // gate times up
    list.push_back(elementwise(&Shares::rotary_forward, 9 * 2 * t * (h + s.kv_width)));  // halves, products, sums, cat
  }
  return list;
}

std::vector<Kernel> recomputed_kernels(const BlockShape& s) {
  std::vector<Kernel> list = forward_kernels(s);
  // Products come first in the list, and among them the one that projects down comes last.
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(linears_of(s).size()) - 1);
  return list;
}

std::vector<Kernel> backward_kernels(const BlockShape& s) {
  const double t = s.tokens(), h = s.hidden, f = s.ffn, r = s.residual_bytes();
  std::vector<Kernel> list;
  for (const Linear& linear : linears_of(s)) {
    // The gradient of the input, then that of the weights.
    list.push_back(product(t, linear.in, linear.out));
    list.push_back(product(linear.in, linear.out, t));
  }
  list.push_back(attention_backward(attention_of(s)));
  list.push_back(elementwise(&Shares::norm_backward, 2 * 5 * r * t * h));
  list.push_back(elementwise(&Shares::add, 2 * 3 * r * t * h));
  // Input and gradient in, gradient out.
  list.push_back(elementwise(&Shares::activation_backward, 6 * t * f));
  if (s.mixed_precision) list.push_back(elementwise(&Shares::cast, casts_of_norms(s) * 6 * t * h));
  if (s.style == BlockStyle::gpt) {
    list.push_back(elementwise(&Shares::bias_gradient, 2 * t * (5 * h + f)));
    list.push_back(elementwise(&Shares::add, 4 * t * 3 * h));  // gradients of q, k, v put side by side
  } else {
    list.push_back(elementwise(&Shares::add, 10 * t * f + 3 * 3 * r * t * h));  // gate and up; three sums of gradients
    list.push_back(elementwise(&Shares::rotary_backward, 9 * 2 * t * (h + s.kv_width)));
  }
  return list;
}

std::vector<Kernel> head_products(double tokens, double hidden, double vocabulary) {
  return {product(tokens, vocabulary, hidden), product(tokens, hidden, vocabulary),
          product(hidden, vocabulary, tokens)};
}

}  // namespace orrery::llm
