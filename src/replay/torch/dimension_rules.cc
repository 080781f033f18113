#include "replay/torch/dimension_rules.h"

#include <algorithm>
#include <array>
#include <map>

#include "formats/pytorch_et/arguments.h"
#include "replay/torch/tensor_text.h"

namespace orrery::replay::torch {
namespace {

using Groups = std::vector<DimensionGroup>;

// Element by element, with broadcasting; also along a dimension (softmax, cumsum), and down to one element (a loss).
constexpr auto kPointwise = std::to_array<std::string_view>({"add",
                                                             "sub",
                                                             "rsub",
                                                             "mul",
                                                             "div",
                                                             "pow",
                                                             "remainder",
                                                             "fmod",
                                                             "maximum",
                                                             "minimum",
                                                             "atan2",
                                                             "lerp",
                                                             "addcmul",
                                                             "addcdiv",
                                                             "where",
                                                             "copy",
                                                             "_to_copy",
                                                             "clone",
                                                             "fill",
                                                             "zero",
                                                             "to",
                                                             "contiguous",
                                                             "detach",
                                                             "alias",
                                                             "lift_fresh",
                                                             "lift",
                                                             "record_stream",
                                                             "_local_scalar_dense",
                                                             "item",
                                                             "gelu",
                                                             "gelu_backward",
                                                             "silu",
                                                             "silu_backward",
                                                             "relu",
                                                             "relu6",
                                                             "threshold",
                                                             "threshold_backward",
                                                             "leaky_relu",
                                                             "leaky_relu_backward",
                                                             "elu",
                                                             "elu_backward",
                                                             "softplus",
                                                             "softplus_backward",
                                                             "hardtanh",
                                                             "hardtanh_backward",
                                                             "hardswish",
                                                             "hardswish_backward",
                                                             "hardsigmoid",
                                                             "hardsigmoid_backward",
                                                             "mish",
                                                             "mish_backward",
                                                             "sigmoid",
                                                             "sigmoid_backward",
                                                             "log_sigmoid_forward",
                                                             "log_sigmoid_backward",
                                                             "tanh",
                                                             "tanh_backward",
                                                             "exp",
                                                             "expm1",
                                                             "log",
                                                             "log1p",
                                                             "log2",
                                                             "sqrt",
                                                             "rsqrt",
                                                             "square",
                                                             "abs",
                                                             "neg",
                                                             "sign",
                                                             "sin",
                                                             "cos",
                                                             "erf",
                                                             "reciprocal",
                                                             "floor",
                                                             "ceil",
                                                             "round",
                                                             "trunc",
                                                             "clamp",
                                                             "clamp_min",
                                                             "clamp_max",
                                                             "eq",
                                                             "ne",
                                                             "lt",
                                                             "le",
                                                             "gt",
                                                             "ge",
                                                             "logical_and",
                                                             "logical_or",
                                                             "logical_not",
                                                             "bitwise_and",
                                                             "bitwise_or",
                                                             "bitwise_not",
                                                             "isnan",
                                                             "isinf",
                                                             "masked_fill",
                                                             "native_dropout",
                                                             "native_dropout_backward",
                                                             "bernoulli",
                                                             "normal",
                                                             "uniform",
                                                             "random",
                                                             "_softmax",
                                                             "_log_softmax",
                                                             "_softmax_backward_data",
                                                             "_log_softmax_backward_data",
                                                             "cumsum"});

// Along dimensions that their result lacks, or has with one element.
constexpr auto kReductions = std::to_array<std::string_view>({"sum", "mean", "amax", "amin", "max", "min", "argmax", "argmin", "any", "all",
                                                              "prod", "norm", "linalg_vector_norm", "logsumexp", "var", "std"});

// Views and memory that is made: what they return is on a storage, which says all.
constexpr auto kShapedByMemory =
    std::to_array<std::string_view>({"empty",          "empty_strided", "empty_like", "new_empty", "new_empty_strided",
                                     "zeros",          "new_zeros",     "zeros_like", "ones",      "ones_like",
                                     "full",           "full_like",     "resize",     "view",      "_unsafe_view",
                                     "_reshape_alias", "reshape",       "as_strided", "t",         "transpose",
                                     "permute",        "unsqueeze",     "squeeze",    "expand",    "arange"});

template <typename List>
bool has_word(const List& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class RuleFinder {
 public:
  RuleFinder(const trace::HostTrace& host, std::uint32_t row, const RecordedCall& call, const pytorch_et::OperatorSchema& schema,
             std::int64_t counted)
      : host_(host), row_(row), call_(call), schema_(schema), counted_(counted) {
    for (std::uint32_t i = 0; i < call.tensors.size(); ++i) (i < call.inputs ? inputs_ : outputs_).push_back(i);
  }

  std::optional<Groups> find() {
    if (!schema_.name.starts_with("aten::")) return std::nullopt;
    const std::string_view name = without_in_place(schema_.name).substr(6);
    if (!apply(name)) return std::nullopt;
    return std::move(groups_);
  }

 private:
  bool apply(std::string_view name) {
    if (name.starts_with("_foreach_") || name.starts_with("_fused_adam") || name.starts_with("_fused_sgd")) return lists();
    if (has_word(kPointwise, name)) return align(all_tensors()), true;
    if (name.ends_with("_loss") || name.ends_with("_loss_backward")) return losses(name);
    if (has_word(kReductions, name)) return reduction();
    if (has_word(kShapedByMemory, name)) return free(all_tensors()), true;
    if (name == "mm" || name == "addmm") return product("mat1", "self", "mat2", "self");
    if (name == "bmm" || name == "baddbmm") return product("batch1", "self", "batch2", "mat2");
    if (name == "cat") return joined();
    if (name.starts_with("native_layer_norm") || name.starts_with("_fused_rms_norm")) return norm();
    if (name.find("attention") != std::string_view::npos) return attention(name);
    if (name == "nll_loss_forward" || name == "nll_loss_backward") return losses(name);
    if (name == "embedding") return embedding("weight", 1, outputs_);
    if (name == "embedding_dense_backward") return embedding_backward();
    if (name == "gather" || name == "scatter" || name == "scatter_add") return gathered();
    if (name == "index_select") return selected();
    return false;
  }

  [[nodiscard]] const std::vector<std::int64_t>& shape(std::uint32_t tensor) const { return call_.tensors[tensor].shape; }
  [[nodiscard]] std::uint32_t rank(std::uint32_t tensor) const { return static_cast<std::uint32_t>(shape(tensor).size()); }

  [[nodiscard]] std::vector<std::uint32_t> all_tensors() const {
    std::vector<std::uint32_t> all = inputs_;
    all.insert(all.end(), outputs_.begin(), outputs_.end());
    return all;
  }

  // The tensors of an argument.
  [[nodiscard]] std::vector<std::uint32_t> given(std::string_view argument) const {
    std::vector<std::uint32_t> found;
    for (const std::uint32_t i : inputs_) {
      if (schema_.arguments[static_cast<std::size_t>(call_.tensors[i].argument)].name == argument) found.push_back(i);
    }
    return found;
  }
  [[nodiscard]] std::optional<std::uint32_t> one(std::string_view argument) const {
    const auto found = given(argument);
    return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::uint32_t> one_of(std::string_view argument, std::string_view other) const {
    const auto found = one(argument);
    return found ? found : one(other);
  }

  // A group of those that have this size: others broadcast, or are padded.
  void tie(std::initializer_list<DimensionRef> members) { tie(std::vector<DimensionRef>(members)); }
  void tie(const std::vector<DimensionRef>& members) {
    std::int64_t size = 0;
    for (const DimensionRef& member : members) size = std::max(size, shape(member.tensor)[member.dimension]);
    DimensionGroup group;
    for (const DimensionRef& member : members) {
      if (size > 1 && shape(member.tensor)[member.dimension] == size) group.members.push_back(member);
    }
    if (!group.members.empty()) groups_.push_back(std::move(group));
  }

  void free(const std::vector<std::uint32_t>& tensors) {
    for (const std::uint32_t tensor : tensors) {
      for (std::uint32_t d = 0; d < rank(tensor); ++d) tie({{tensor, d}});
    }
  }

  // As broadcasting has it: from the last dimension on.
  void align(const std::vector<std::uint32_t>& tensors, std::uint32_t first_from_last = 0) {
    std::uint32_t ranks = 0;
    for (const std::uint32_t tensor : tensors) ranks = std::max(ranks, rank(tensor));
    for (std::uint32_t from_last = first_from_last; from_last < ranks; ++from_last) {
      std::vector<DimensionRef> members;
      for (const std::uint32_t tensor : tensors) {
        if (from_last < rank(tensor)) members.push_back({tensor, rank(tensor) - 1 - from_last});
      }
      tie(members);
    }
  }

  // foreach and fused optimizers: the i-th of every list, and of what is returned.
  bool lists() {
    std::map<std::int32_t, std::vector<std::uint32_t>> by_argument;
    for (const std::uint32_t i : inputs_) by_argument[call_.tensors[i].argument].push_back(i);
    if (!outputs_.empty()) by_argument[-1] = outputs_;
    std::size_t length = 0;
    for (const auto& [argument, tensors] : by_argument) length = std::max(length, tensors.size());
    for (std::size_t i = 0; i < length; ++i) {
      std::vector<std::uint32_t> together;
      for (const auto& [argument, tensors] : by_argument) {
        if (tensors.size() == length) together.push_back(tensors[i]);
        // A scale or a rate for all of them.
        else if (i == 0 && (tensors.size() != 1 || rank(tensors.front()) != 0)) return false;
      }
      align(together);
    }
    return true;
  }

  bool reduction() {
    const auto self = one_of("self", "input");
    if (!self) return false;
    // Those without dimensions go over all; max(a, b) goes element by element.
    if (given("other").size() == 1) return align(all_tensors()), true;
    std::vector<std::int64_t> reduced = integers("dim");
    const std::uint32_t ranks = rank(*self);
    for (std::int64_t& d : reduced) d += d < 0 ? ranks : 0;
    for (const std::uint32_t out : all_tensors()) {
      if (out == *self) continue;
      const bool keeps = rank(out) == ranks;
      std::uint32_t next = 0;
      for (std::uint32_t d = 0; d < ranks; ++d) {
        const bool is_gone = reduced.empty() || std::find(reduced.begin(), reduced.end(), std::int64_t{d}) != reduced.end();
        if (is_gone && !keeps) continue;
        if (!is_gone && next < rank(out)) tie({{*self, d}, {out, next}});
        ++next;
      }
    }
    free({*self});
    return true;
  }

  // [..., m, k] x [..., k, n] = [..., m, n], and what is added to it.
  bool product(std::string_view left_name, std::string_view left_other, std::string_view right_name, std::string_view right_other) {
    const auto left = one_of(left_name, left_other), right = one_of(right_name, right_other);
    if (!left || !right || outputs_.size() != 1) return false;
    const std::uint32_t out = outputs_.front(), ranks = rank(out);
    if (ranks < 2 || rank(*left) != ranks || rank(*right) != ranks || *left == *right) return false;
    for (std::uint32_t d = 0; d + 2 < ranks; ++d) tie({{*left, d}, {*right, d}, {out, d}});
    tie({{*left, ranks - 2}, {out, ranks - 2}});
    tie({{*left, ranks - 1}, {*right, ranks - 2}});
    tie({{*right, ranks - 1}, {out, ranks - 1}});
    std::vector<std::uint32_t> shaped_alike = {out};
    for (const std::uint32_t i : inputs_) {
      if (i != *left && i != *right) shaped_alike.push_back(i);
    }
    align(shaped_alike);
    return true;
  }

  bool joined() {
    const std::vector<std::uint32_t> parts = given("tensors");
    if (parts.empty() || outputs_.size() != 1) return false;
    const std::uint32_t out = outputs_.front(), ranks = rank(out);
    std::int64_t along = integer("dim").value_or(0);
    along += along < 0 ? ranks : 0;
    if (along < 0 || along >= ranks) return false;
    DimensionGroup group;
    group.is_joined = true;
    for (std::uint32_t d = 0; d < ranks; ++d) {
      std::vector<DimensionRef> members = {{out, d}};
      for (const std::uint32_t part : parts) {
        if (rank(part) != ranks) return false;  // an empty one may have any shape: PyTorch lets it pass, we do not
        members.push_back({part, d});
      }
      if (d != static_cast<std::uint64_t>(along)) tie(members);
      else group.members = std::move(members);
    }
    groups_.push_back(std::move(group));
    return true;
  }

  // Statistics have the leading dimensions, weights the trailing ones.
  bool norm() {
    const auto input = one("input");
    const auto normalized = static_cast<std::uint32_t>(integers("normalized_shape").size());
    if (!input || normalized == 0 || normalized > rank(*input)) return false;
    const std::uint32_t ranks = rank(*input), leading = ranks - normalized;
    std::vector<std::uint32_t> whole, weights;
    std::vector<std::vector<DimensionRef>> heads(leading);
    for (const std::uint32_t tensor : all_tensors()) {
      if (shape(tensor) == shape(*input)) {
        whole.push_back(tensor);
      } else if (rank(tensor) == normalized && std::equal(shape(tensor).begin(), shape(tensor).end(), shape(*input).begin() + leading)) {
        weights.push_back(tensor);
      } else if (rank(tensor) == ranks) {
        for (std::uint32_t d = 0; d < leading; ++d) heads[d].push_back({tensor, d});
      } else {
        return false;
      }
    }
    for (std::uint32_t d = 0; d < leading; ++d) {
      for (const std::uint32_t tensor : whole) heads[d].push_back({tensor, d});
      tie(heads[d]);
    }
    for (std::uint32_t d = 0; d < normalized; ++d) {
      std::vector<DimensionRef> members;
      for (const std::uint32_t tensor : whole) members.push_back({tensor, leading + d});
      for (const std::uint32_t tensor : weights) members.push_back({tensor, d});
      tie(members);
    }
    return true;
  }

  // [batch, heads, sequence, width], or [batch, sequence, heads, width] of the kernels below it. Keys may be others than queries, in number and heads.
  bool attention(std::string_view name) {
    const auto query = one("query"), key = one("key"), value = one("value");
    // Ragged batches have their lengths in a tensor, whose values are not ours to scale.
    const bool is_ragged =
        !given("cu_seqlens_q").empty() || !given("cum_seq_q").empty() || !given("attn_bias").empty() || !given("bias").empty();
    if (!query || !key || !value || is_ragged || rank(*query) != 4 || rank(*key) != 4 || rank(*value) != 4) return false;
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
    for (const std::uint32_t t : all_tensors()) {
      // States of random numbers, and what is not there.
      if (t == *query || t == *key || t == *value || rank(t) <= 1) continue;
      const bool is_output = t >= call_.inputs;
      const auto place = is_output ? t - call_.inputs : 0;
      const bool is_backward = name.ends_with("backward");
      if (is_statistic(t, *query, heads)) {
        batch.push_back({t, 0}), head.push_back({t, 1});
        length.push_back({t, 2});
      } else if (rank(t) == 4 && is_output && is_backward && place < 3) {
        add(t, place > 0);
        (place < 2 ? width : value_width).push_back({t, 3});
      } else if (rank(t) == 4 && (is_output ? place == 0 : true)) {
        add(t, false);  // the result, its gradient
        value_width.push_back({t, 3});
      } else {
        return false;
      }
    }
    // As many heads of keys as of queries are the same heads; fewer are shared.
    if (shape(*key)[heads] == shape(*query)[heads]) head.insert(head.end(), key_head.begin(), key_head.end()), key_head.clear();
    for (const auto* members : {&batch, &head, &length, &width, &key_head, &key_length, &value_width}) tie_equal(*members);
    return true;
  }

  // Log-sums of the softmax: [batch, heads, sequence], perhaps padded, perhaps with a 1 behind.
  [[nodiscard]] bool is_statistic(std::uint32_t t, std::uint32_t query, std::uint32_t heads) const {
    const bool fits = rank(t) == 3 || (rank(t) == 4 && shape(t)[3] == 1);
    return fits && shape(t)[0] == shape(query)[0] && shape(t)[1] == shape(query)[heads];
  }

  // Those of another size are left to themselves, which means that they cannot be scaled.
  void tie_equal(const std::vector<DimensionRef>& members) {
    std::vector<DimensionRef> equal;
    for (const DimensionRef& member : members) {
      if (shape(member.tensor)[member.dimension] == shape(members.front().tensor)[members.front().dimension]) equal.push_back(member);
    }
    tie(equal);
  }

  bool losses(std::string_view name) {
    if (!name.starts_with("nll_loss")) return align(all_tensors()), true;
    const auto self = one("self"), target = one("target");
    if (!self || !target || rank(*self) != 2 || rank(*target) != 1) return false;
    std::vector<DimensionRef> examples = {{*self, 0}, {*target, 0}}, classes = {{*self, 1}};
    for (const std::uint32_t t : all_tensors()) {
      if (t == *self || t == *target || rank(t) == 0) continue;
      if (rank(t) == 2) examples.push_back({t, 0}), classes.push_back({t, 1});
      else if (!given("weight").empty() && given("weight").front() == t) classes.push_back({t, 0});
      else examples.push_back({t, 0});
    }
    tie(examples), tie(classes);
    return true;
  }

  // [rows, width] at [...] is [..., width].
  bool embedding(std::string_view table, std::uint32_t width, const std::vector<std::uint32_t>& results) {
    const auto weight = one(table), indices = one("indices");
    if (!weight || !indices || rank(*weight) != 2 || results.size() != 1) return false;
    free({*weight});
    tie_table({*weight, 0}, *indices, 0);
    return looked_up(results.front(), *indices, {*weight, width});
  }
  bool embedding_backward() {
    const auto gradient = one("grad_output"), indices = one("indices");
    if (!gradient || !indices || outputs_.size() != 1 || rank(outputs_.front()) != 2) return false;
    free({outputs_.front()});
    tie_table({outputs_.front(), 0}, *indices, 0);
    return looked_up(*gradient, *indices, {outputs_.front(), 1});
  }
  // A table of positions has a row for each: with more of them it has to grow.
  void tie_table(DimensionRef rows, std::uint32_t indices, std::uint32_t dimension) {
    if (counted_ > 0 && shape(rows.tensor)[rows.dimension] == counted_ && dimension < rank(indices) &&
        shape(indices)[dimension] == counted_)
      tie({rows, {indices, dimension}});
  }
  bool looked_up(std::uint32_t found, std::uint32_t indices, DimensionRef width) {
    if (rank(found) != rank(indices) + 1) return false;
    for (std::uint32_t d = 0; d < rank(indices); ++d) tie({{found, d}, {indices, d}});
    tie({{found, rank(indices)}, width});
    return true;
  }

  // What is looked up has the shape of the index; the table may be larger in every dimension.
  bool gathered() {
    const auto self = one("self"), index = one("index");
    if (!self || !index) return false;
    std::int64_t along = integer("dim").value_or(0);
    along += along < 0 ? rank(*self) : 0;
    if (along < 0 || along >= rank(*self)) return false;
    for (const std::uint32_t t : all_tensors()) {
      if (rank(t) != rank(*self)) return false;
    }
    free({*self});
    tie_table({*self, static_cast<std::uint32_t>(along)}, *index, static_cast<std::uint32_t>(along));
    for (std::uint32_t d = 0; d < rank(*self); ++d) {
      std::vector<DimensionRef> members = {{*index, d}};
      for (const std::uint32_t t : all_tensors()) {
        const bool is_table = t == *self || (schema_.name.starts_with("aten::scatter") && t >= call_.inputs);
        if (t == *index || (is_table && (d == static_cast<std::uint64_t>(along) || shape(t)[d] != shape(*index)[d]))) continue;
        members.push_back({t, d});
      }
      tie(members);
    }
    return true;
  }

  bool selected() {
    const auto self = one("self"), index = one("index");
    if (!self || !index || outputs_.size() != 1 || rank(*index) != 1 || rank(outputs_.front()) != rank(*self)) return false;
    std::int64_t along = integer("dim").value_or(0);
    along += along < 0 ? rank(*self) : 0;
    if (along < 0 || along >= rank(*self)) return false;
    for (std::uint32_t d = 0; d < rank(*self); ++d) {
      if (d == static_cast<std::uint64_t>(along)) tie({{outputs_.front(), d}, {*index, 0}});
      else tie({{outputs_.front(), d}, {*self, d}});
    }
    return true;
  }

  [[nodiscard]] std::optional<RecordedValue> value(std::string_view argument) const {
    const auto lists = pytorch_et::input_lists(host_, row_);
    const auto values = values_of(lists.values, lists.types, lists.shapes, lists.strides);
    for (std::size_t i = 0; i < schema_.arguments.size() && i < values.size(); ++i) {
      if (schema_.arguments[i].name == argument) return values[i];
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view argument) const {
    const auto found = value(argument);
    return found ? parse_integer(found->value) : std::nullopt;
  }
  // A list, or a number alone.
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view argument) const {
    const auto found = value(argument);
    if (!found) return {};
    if (const auto single = parse_integer(found->value)) return {*single};
    return parse_integers(found->value).value_or(std::vector<std::int64_t>());
  }

  const trace::HostTrace& host_;
  std::uint32_t row_;
  const RecordedCall& call_;
  const pytorch_et::OperatorSchema& schema_;
  std::int64_t counted_;
  std::vector<std::uint32_t> inputs_, outputs_;
  Groups groups_;
};

}  // namespace

std::string_view without_in_place(std::string_view name) { return name.ends_with('_') ? name.substr(0, name.size() - 1) : name; }

std::optional<std::vector<DimensionGroup>> dimension_groups(const trace::HostTrace& host, std::uint32_t row, const RecordedCall& call,
                                                            const pytorch_et::OperatorSchema& schema, std::int64_t counted) {
  return RuleFinder(host, row, call, schema, counted).find();
}

}  // namespace orrery::replay::torch
