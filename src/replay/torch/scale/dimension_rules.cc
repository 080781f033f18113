#include "replay/torch/scale/dimension_rules.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "replay/torch/build/operator_families.h"
#include "replay/torch/scale/dimension_ties.h"

// Rules by the name of the operator: matrix products tie rows, columns and what is summed over; norms, attention, lists
// of optimizers, reductions, joins and look-ups have rules of their own; pointwise operators tie by broadcasting. An
// operator without a rule refuses, because guessing would make a recording that runs and means nothing.

namespace orrery::replay::torch {

// Rules of what looks up rows or elements by indices. False where the arguments are not those of the rule.

/// [rows, width] at [...] is [..., width]; backward, the gradient of the rows.
bool tie_embedding(DimensionTies& ties);
bool tie_embedding_backward(DimensionTies& ties);

/// What is looked up, or written, has the shape of the index; the table may be larger in every dimension. `name`: of
/// the operator.
bool tie_gathered(DimensionTies& ties, std::string_view name);

/// As many as there are indices, along one dimension.
bool tie_selected(DimensionTies& ties);

namespace {

// A table of positions has a row for each: with more of them it has to grow.
void tie_table(DimensionTies& ties, DimensionRef rows, DimensionRef indices) {
  const std::int64_t counted = ties.counted();
  if (counted == 0 || indices.dimension >= ties.rank(indices.tensor)) return;
  if (ties.size(rows) == counted && ties.size(indices) == counted) ties.tie({rows, indices});
}

bool tie_looked_up(DimensionTies& ties, std::uint32_t found, std::uint32_t indices, DimensionRef width) {
  if (ties.rank(found) != ties.rank(indices) + 1) return false;
  for (std::uint32_t d = 0; d < ties.rank(indices); ++d) ties.tie({{found, d}, {indices, d}});
  ties.tie({{found, ties.rank(indices)}, width});
  return true;
}

bool tie_rows(DimensionTies& ties, std::uint32_t table, std::uint32_t indices, std::uint32_t found) {
  if (ties.rank(table) != 2) return false;
  ties.leave_free({table});
  tie_table(ties, {table, 0}, {indices, 0});
  return tie_looked_up(ties, found, indices, {table, 1});
}

}  // namespace

bool tie_embedding(DimensionTies& ties) {
  const auto weight = ties.one("weight"), indices = ties.one("indices");
  return weight && indices && ties.outputs().size() == 1 && tie_rows(ties, *weight, *indices, ties.outputs().front());
}

bool tie_embedding_backward(DimensionTies& ties) {
  const auto gradient = ties.one("grad_output"), indices = ties.one("indices");
  return gradient && indices && ties.outputs().size() == 1 &&
         tie_rows(ties, ties.outputs().front(), *indices, *gradient);
}

bool tie_gathered(DimensionTies& ties, std::string_view name) {
  const auto self = ties.one("self"), index = ties.one("index");
  if (!self || !index) return false;
  const auto along = ties.along(*self);
  if (!along) return false;
  for (const std::uint32_t t : ties.all()) {
    if (ties.rank(t) != ties.rank(*self)) return false;
  }
  ties.leave_free({*self});
  tie_table(ties, {*self, *along}, {*index, *along});
  for (std::uint32_t d = 0; d < ties.rank(*self); ++d) {
    std::vector<DimensionRef> members = {{*index, d}};
    for (const std::uint32_t t : ties.all()) {
      const bool is_table = t == *self || (name.starts_with("scatter") && t >= ties.call().inputs);
      if (t == *index || (is_table && (d == *along || ties.shape(t)[d] != ties.shape(*index)[d]))) continue;
      members.push_back({t, d});
    }
    ties.tie(members);
  }
  return true;
}

bool tie_selected(DimensionTies& ties) {
  const auto self = ties.one("self"), index = ties.one("index");
  if (!self || !index || ties.outputs().size() != 1) return false;
  const std::uint32_t out = ties.outputs().front();
  if (ties.rank(*index) != 1 || ties.rank(out) != ties.rank(*self)) return false;
  const auto along = ties.along(*self);
  if (!along) return false;
  for (std::uint32_t d = 0; d < ties.rank(*self); ++d) {
    if (d == *along) ties.tie({{out, d}, {*index, 0}});
    else ties.tie({{out, d}, {*self, d}});
  }
  return true;
}

// Rules of what layers of models are made of: products, norms, attention. False where the arguments are not those of
// the rule.

/// [..., m, k] x [..., k, n] = [..., m, n], and what is added to it. The factors go by the first of their two names
/// that is there.
bool tie_product(DimensionTies& ties, std::string_view left_name, std::string_view left_other,
                 std::string_view right_name, std::string_view right_other);

/// Statistics have the leading dimensions, weights the trailing ones.
bool tie_norm(DimensionTies& ties);

/// [batch, heads, sequence, width], or [batch, sequence, heads, width] of the kernels below it. Keys may be others than
/// queries, in number and heads. `name`: of the operator.
bool tie_attention(DimensionTies& ties, std::string_view name);

namespace {

// Log-sums of the softmax: [batch, heads, sequence], perhaps padded, perhaps with a 1 behind.
bool is_statistic(const DimensionTies& ties, std::uint32_t t, std::uint32_t query, std::uint32_t heads) {
  const bool fits = ties.rank(t) == 3 || (ties.rank(t) == 4 && ties.shape(t)[3] == 1);
  return fits && ties.shape(t)[0] == ties.shape(query)[0] && ties.shape(t)[1] == ties.shape(query)[heads];
}

}  // namespace

bool tie_product(DimensionTies& ties, std::string_view left_name, std::string_view left_other,
                 std::string_view right_name, std::string_view right_other) {
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
  const bool is_ragged = !ties.given("cu_seqlens_q").empty() || !ties.given("cum_seq_q").empty() ||
                         !ties.given("attn_bias").empty() || !ties.given("bias").empty();
  if (!query || !key || !value || is_ragged || ties.rank(*query) != 4 || ties.rank(*key) != 4 || ties.rank(*value) != 4)
    return false;
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
  if (ties.shape(*key)[heads] == ties.shape(*query)[heads])
    head.insert(head.end(), key_head.begin(), key_head.end()), key_head.clear();
  for (const auto* members : {&batch, &head, &length, &width, &key_head, &key_length, &value_width})
    ties.tie_equal(*members);
  return true;
}

namespace {

// foreach and fused optimizers: the i-th of every list, and of what is returned.
bool tie_lists(DimensionTies& ties) {
  std::map<std::int32_t, std::vector<std::uint32_t>> by_argument;
  for (const std::uint32_t i : ties.inputs()) by_argument[ties.call().tensors[i].argument].push_back(i);
  if (!ties.outputs().empty()) by_argument[-1] = ties.outputs();
  std::size_t length = 0;
  for (const auto& [argument, tensors] : by_argument) length = std::max(length, tensors.size());
  for (std::size_t i = 0; i < length; ++i) {
    std::vector<std::uint32_t> together;
    for (const auto& [argument, tensors] : by_argument) {
      if (tensors.size() == length) together.push_back(tensors[i]);
      // A scale or a rate for all of them.
      else if (i == 0 && (tensors.size() != 1 || ties.rank(tensors.front()) != 0)) return false;
    }
    ties.align(together);
  }
  return true;
}

bool tie_reduction(DimensionTies& ties) {
  const auto self = ties.one_of("self", "input");
  if (!self) return false;
  // Those without dimensions go over all; max(a, b) goes element by element.
  if (ties.given("other").size() == 1) return ties.align(ties.all()), true;
  std::vector<std::int64_t> reduced = ties.integers("dim");
  const std::uint32_t ranks = ties.rank(*self);
  // Negative dimensions count from the last.
  for (std::int64_t& d : reduced) d += d < 0 ? ranks : 0;
  for (const std::uint32_t out : ties.all()) {
    if (out == *self) continue;
    const bool keeps = ties.rank(out) == ranks;
    std::uint32_t next = 0;
    for (std::uint32_t d = 0; d < ranks; ++d) {
      const bool is_gone =
          reduced.empty() || std::find(reduced.begin(), reduced.end(), std::int64_t{d}) != reduced.end();
      if (is_gone && !keeps) continue;
      if (!is_gone && next < ties.rank(out)) ties.tie({{*self, d}, {out, next}});
      ++next;
    }
  }
  ties.leave_free({*self});
  return true;
}

// What is joined agrees in all dimensions but one.
bool tie_parts(DimensionTies& ties) {
  const std::vector<std::uint32_t> parts = ties.given("tensors");
  if (parts.empty() || ties.outputs().size() != 1) return false;
  const std::uint32_t out = ties.outputs().front(), ranks = ties.rank(out);
  const auto along = ties.along(out);
  if (!along) return false;
  for (std::uint32_t d = 0; d < ranks; ++d) {
    std::vector<DimensionRef> members = {{out, d}};
    for (const std::uint32_t part : parts) {
      if (ties.rank(part) != ranks) return false;  // an empty one may have any shape: PyTorch lets it pass, we do not
      members.push_back({part, d});
    }
    if (d == *along) ties.join(std::move(members));
    else ties.tie(members);
  }
  return true;
}

bool tie_losses(DimensionTies& ties, std::string_view name) {
  if (!name.starts_with("nll_loss")) return ties.align(ties.all()), true;
  const auto self = ties.one("self"), target = ties.one("target");
  if (!self || !target || ties.rank(*self) != 2 || ties.rank(*target) != 1) return false;
  std::vector<DimensionRef> examples = {{*self, 0}, {*target, 0}}, classes = {{*self, 1}};
  for (const std::uint32_t t : ties.all()) {
    if (t == *self || t == *target || ties.rank(t) == 0) continue;
    if (ties.rank(t) == 2) examples.push_back({t, 0}), classes.push_back({t, 1});
    else if (!ties.given("weight").empty() && ties.given("weight").front() == t) classes.push_back({t, 0});
    else examples.push_back({t, 0});
  }
  ties.tie(examples), ties.tie(classes);
  return true;
}

// False: no rule, or other arguments than the rule's.
bool tie_dimensions(DimensionTies& ties, std::string_view name) {
  if (name.starts_with("_foreach_") || name.starts_with("_fused_adam") || name.starts_with("_fused_sgd"))
    return tie_lists(ties);
  const OperatorFamily family = family_of(name);
  if (family == OperatorFamily::pointwise) return ties.align(ties.all()), true;
  if (name.ends_with("_loss") || name.ends_with("_loss_backward") || name == "nll_loss_forward")
    return tie_losses(ties, name);
  if (family == OperatorFamily::reduction) return tie_reduction(ties);
  if (family == OperatorFamily::shaped_by_memory) return ties.leave_free(ties.all()), true;
  if (name == "mm" || name == "addmm") return tie_product(ties, "mat1", "self", "mat2", "self");
  if (name == "bmm" || name == "baddbmm") return tie_product(ties, "batch1", "self", "batch2", "mat2");
  if (name == "cat") return tie_parts(ties);
  if (name.starts_with("native_layer_norm") || name.starts_with("_fused_rms_norm")) return tie_norm(ties);
  if (name.find("attention") != std::string_view::npos) return tie_attention(ties, name);
  if (name == "embedding") return tie_embedding(ties);
  if (name == "embedding_dense_backward") return tie_embedding_backward(ties);
  if (name == "gather" || name == "scatter" || name == "scatter_add") return tie_gathered(ties, name);
  if (name == "index_select") return tie_selected(ties);
  return false;
}

}  // namespace

std::string_view without_in_place(std::string_view name) {
  return name.ends_with('_') ? name.substr(0, name.size() - 1) : name;
}

std::optional<std::vector<DimensionGroup>> dimension_groups(const trace::HostTrace& host, std::uint32_t row,
                                                            const RecordedCall& call,
                                                            const pytorch_et::OperatorSchema& schema,
                                                            std::int64_t counted) {
  constexpr std::string_view kOwn = "aten::";
  if (!schema.name.starts_with(kOwn)) return std::nullopt;
  DimensionTies ties(host, row, call, schema, counted);
  if (!tie_dimensions(ties, without_in_place(schema.name).substr(kOwn.size()))) return std::nullopt;
  return ties.take_groups();
}

}  // namespace orrery::replay::torch
