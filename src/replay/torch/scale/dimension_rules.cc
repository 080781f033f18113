#include "replay/torch/scale/dimension_rules.h"

#include <algorithm>
#include <map>

#include "replay/torch/scale/dimension_ties.h"
#include "replay/torch/scale/layer_rules.h"
#include "replay/torch/scale/lookup_rules.h"
#include "replay/torch/build/operator_families.h"

namespace orrery::replay::torch {
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
  for (std::int64_t& d : reduced) d += d < 0 ? ranks : 0;
  for (const std::uint32_t out : ties.all()) {
    if (out == *self) continue;
    const bool keeps = ties.rank(out) == ranks;
    std::uint32_t next = 0;
    for (std::uint32_t d = 0; d < ranks; ++d) {
      const bool is_gone = reduced.empty() || std::find(reduced.begin(), reduced.end(), std::int64_t{d}) != reduced.end();
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
  if (name.starts_with("_foreach_") || name.starts_with("_fused_adam") || name.starts_with("_fused_sgd")) return tie_lists(ties);
  const OperatorFamily family = family_of(name);
  if (family == OperatorFamily::pointwise) return ties.align(ties.all()), true;
  if (name.ends_with("_loss") || name.ends_with("_loss_backward") || name == "nll_loss_forward") return tie_losses(ties, name);
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

std::string_view without_in_place(std::string_view name) { return name.ends_with('_') ? name.substr(0, name.size() - 1) : name; }

std::optional<std::vector<DimensionGroup>> dimension_groups(const trace::HostTrace& host, std::uint32_t row, const RecordedCall& call,
                                                            const pytorch_et::OperatorSchema& schema, std::int64_t counted) {
  constexpr std::string_view kOwn = "aten::";
  if (!schema.name.starts_with(kOwn)) return std::nullopt;
  DimensionTies ties(host, row, call, schema, counted);
  if (!tie_dimensions(ties, without_in_place(schema.name).substr(kOwn.size()))) return std::nullopt;
  return ties.take_groups();
}

}  // namespace orrery::replay::torch
