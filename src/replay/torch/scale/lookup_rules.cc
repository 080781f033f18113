#include "replay/torch/scale/lookup_rules.h"

namespace orrery::replay::torch {
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

}  // namespace orrery::replay::torch
