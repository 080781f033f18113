#include "replay/torch/build/counted_indices.h"

#include <fmt/format.h>

#include "replay/torch/scale/dimension_rules.h"

namespace orrery::replay::torch {

CountedIndices::CountedIndices(const TensorSites& sites) : sites_(sites) {
  for (const TensorUser& user : sites.users) {
    if (user.is_collective() || !user.schema->name.starts_with("aten::arange")) continue;
    for (const TensorSite& site : sites.of(user).subspan(user.call->inputs)) {
      if (site.lifetime != kNoLifetime && site.tensor->shape.size() == 1)
        counts_[site.lifetime] = site.tensor->shape.front();
    }
  }
}

std::int64_t CountedIndices::count_of(const TensorUser& user) const {
  for (const TensorSite& site : sites_.of(user)) {
    const auto found = counts_.find(site.lifetime);
    if (found != counts_.end() && site.tensor->type.is_integer) return found->second;
  }
  return 0;
}

Status CountedIndices::check_table(const TensorUser& user, const ScaleRefusals& refusals) const {
  if (count_of(user) == 0) return {};
  const std::string_view name = without_in_place(user.schema->name);
  const bool looks_up = name == "aten::embedding" || name == "aten::gather" || name == "aten::index_select" ||
                        name == "aten::embedding_dense_backward";
  if (!looks_up) return {};
  const RecordedCall& call = *user.call;
  const std::size_t table = name == "aten::embedding_dense_backward" ? call.inputs : 0;
  if (table >= call.tensors.size()) return {};
  const std::vector<std::int64_t>& shape = call.tensors[table].shape;
  std::int64_t count = 0, rows = 0;
  for (const TensorSite& site : sites_.of(user)) {
    if (!counts_.contains(site.lifetime) || !site.tensor->type.is_integer) continue;
    // Along which it counts; those that it is expanded to repeat it.
    for (std::size_t d = 0; d < site.tensor->shape.size(); ++d) {
      if (site.tensor->stride[d] == 0) continue;
      count = site.tensor->shape[d];
      const std::size_t along = name == "aten::gather" ? d : 0;
      rows = along < shape.size() ? shape[along] : 0;
      break;
    }
  }
  if (count <= rows) return {};
  return refusals.cannot_follow(user.row, fmt::format("{} positions are looked up in a table of {}", count, rows));
}

}  // namespace orrery::replay::torch
