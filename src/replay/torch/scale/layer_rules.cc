#include "replay/torch/scale/layer_rules.h"

#include <algorithm>

namespace orrery::replay::torch {
namespace {

// Log-sums of the softmax: [batch, heads, sequence], perhaps padded, perhaps with a 1 behind.
bool is_statistic(const DimensionTies& ties, std::uint32_t t, std::uint32_t query, std::uint32_t heads) {
  const bool fits = ties.rank(t) == 3 || (ties.rank(t) == 4 && ties.shape(t)[3] == 1);
  return fits && ties.shape(t)[0] == ties.shape(query)[0] && ties.shape(t)[1] == ties.shape(query)[heads];
}

}  // namespace

bool tie_product(DimensionTies& ties, std::string_view left_name, std::string_view left_other, std::string_view right_name,
                 std::string_view right_other) {
  const auto left = ties.one_of(left_name, left_other), right = ties.one_of(right_name, right_other);
  if (!left || !right || ties.outputs().size() != 1) return false;
  const std::uint32_t out = ties.outputs().front(), ranks = ties.rank(out);
  if (ranks < 2 || ties.rank(*left) != ranks || ties.rank(*right) != ranks || *left == *right) return false;
  for (std::uint32_t d = 0; d + 2 < ranks; ++d) ties.tie({{*left, d}, {*right, d}, {out, d}});
  ties.tie({{*left, ranks - 2}, {out, ranks - 2}});
  ties.tie({{*left, ranks - 1}, {*right, ranks - 2}});
  ties.tie({{*right, ranks - 1}, {out, ranks - 1}});
  std::vector<std::uint32_t> shaped_alike = {out};
  for (const std::uint32_t i : ties.inputs()) {
    if (i != *left && i != *right) shaped_alike.push_back(i);
  }
  ties.align(shaped_alike);
  return true;
}

bool tie_norm(DimensionTies& ties) {
  const auto input = ties.one("input");
  const auto normalized = static_cast<std::uint32_t>(ties.integers("normalized_shape").size());
  if (!input || normalized == 0 || normalized > ties.rank(*input)) return false;
  const std::uint32_t ranks = ties.rank(*input), leading = ranks - normalized;
  std::vector<std::uint32_t> whole, weights;
  std::vector<std::vector<DimensionRef>> heads(leading);
  for (const std::uint32_t tensor : ties.all()) {
    if (ties.shape(tensor) == ties.shape(*input)) {
      whole.push_back(tensor);
    } else if (ties.rank(tensor) == normalized &&
               std::equal(ties.shape(tensor).begin(), ties.shape(tensor).end(), ties.shape(*input).begin() + leading)) {
      weights.push_back(tensor);
    } else if (ties.rank(tensor) == ranks) {
      for (std::uint32_t d = 0; d < leading; ++d) heads[d].push_back({tensor, d});
    } else {
      return false;
    }
  }
  for (std::uint32_t d = 0; d < leading; ++d) {
    for (const std::uint32_t tensor : whole) heads[d].push_back({tensor, d});
    ties.tie(heads[d]);
  }
  for (std::uint32_t d = 0; d < normalized; ++d) {
    std::vector<DimensionRef> members;
    members.reserve(whole.size() + weights.size());
    for (const std::uint32_t tensor : whole) members.push_back({tensor, leading + d});
    for (const std::uint32_t tensor : weights) members.push_back({tensor, d});
    ties.tie(members);
  }
  return true;
}

bool tie_attention(DimensionTies& ties, std::string_view name) {
  const auto query = ties.one("query"), key = ties.one("key"), value = ties.one("value");
  // Ragged batches have their lengths in a tensor, whose values are not ours to scale.
  const bool is_ragged = !ties.given("cu_seqlens_q").empty() || !ties.given("cum_seq_q").empty() || !ties.given("attn_bias").empty() ||
                         !ties.given("bias").empty();
  if (!query || !key || !value || is_ragged || ties.rank(*query) != 4 || ties.rank(*key) != 4 || ties.rank(*value) != 4) return false;
  const bool heads_first = name.starts_with("_scaled_dot_product") || name.starts_with("_cudnn");
  const std::uint32_t heads = heads_first ? 1 : 2, sequence = heads_first ? 2 : 1;
  std::vector<DimensionRef> batch, head, length, width, key_head, key_length, value_width;
  const auto add = [&](std::uint32_t t, bool of_key) {
    batch.push_back({t, 0});
    (of_key ? key_head : head).push_back({t, heads});
    (of_key ? key_length : length).push_back({t, sequence});
  };
  add(*query, false), add(*key, true), add(*value, true);
  width = {{*query, 3}, {*key, 3}};
  value_width = {{*value, 3}};
  for (const std::uint32_t t : ties.all()) {
    // States of random numbers, and what is not there.
    if (t == *query || t == *key || t == *value || ties.rank(t) <= 1) continue;
    const bool is_output = t >= ties.call().inputs;
    const auto place = is_output ? t - ties.call().inputs : 0;
    const bool is_backward = name.ends_with("backward");
    if (is_statistic(ties, t, *query, heads)) {
      batch.push_back({t, 0}), head.push_back({t, 1});
      length.push_back({t, 2});
    } else if (ties.rank(t) == 4 && is_output && is_backward && place < 3) {
      add(t, place > 0);
      (place < 2 ? width : value_width).push_back({t, 3});
    } else if (ties.rank(t) == 4 && (is_output ? place == 0 : true)) {
      add(t, false);  // the result, its gradient
      value_width.push_back({t, 3});
    } else {
      return false;
    }
  }
  // As many heads of keys as of queries are the same heads; fewer are shared.
  if (ties.shape(*key)[heads] == ties.shape(*query)[heads]) head.insert(head.end(), key_head.begin(), key_head.end()), key_head.clear();
  for (const auto* members : {&batch, &head, &length, &width, &key_head, &key_length, &value_width}) ties.tie_equal(*members);
  return true;
}

}  // namespace orrery::replay::torch
