#include "replay/torch/build/tensor_sites.h"

#include <fmt/format.h>

#include <algorithm>

#include "replay/torch/scale/dimension_rules.h"

// Calls first, then collectives, each with its tensors in one long list; memory knows its users by their numbers.
// Indices that are counted up (arange) are remembered by the memory they lie on, since what they are looked up in has
// to grow with them.

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
  // A table that is long enough may stay as it is.
  if (count <= rows) return {};
  return refusals.cannot_follow(user.row, fmt::format("{} positions are looked up in a table of {}", count, rows));
}

namespace {

class SiteCollector {
 public:
  SiteCollector(const trace::HostArguments& arguments, const Lifetimes& lifetimes)
      : arguments_(arguments), lifetimes_(lifetimes) {
    sites_.users_of.resize(lifetimes.all.size());
    sites_.bytes.assign(lifetimes.all.size(), 0);
  }

  void reserve(std::size_t count) { sites_.all.reserve(count); }

  void begin_call(std::uint32_t row, RecordedCall& call, const pytorch_et::OperatorSchema* schema) {
    sites_.users.push_back({row, size(), 0, &call, schema, {}});
  }
  void begin_collective(std::uint32_t row, std::string_view kind) {
    sites_.users.push_back({row, size(), 0, nullptr, nullptr, kind});
  }

  /// Of the call or collective that began last.
  void add(std::vector<RecordedTensor>& tensors) {
    for (RecordedTensor& tensor : tensors) add(tensor);
  }

  TensorSites take() { return std::move(sites_); }

 private:
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(sites_.all.size()); }

  void add(RecordedTensor& tensor) {
    TensorUser& user = sites_.users.back();
    const auto number = static_cast<std::uint32_t>(sites_.users.size() - 1);
    const std::uint32_t lifetime = lifetimes_.of_use[arguments_.first[user.row] + tensor.use];
    sites_.all.push_back({&tensor, lifetime, number});
    ++user.count;
    if (lifetime == kNoLifetime) return;
    std::vector<std::uint32_t>& users = sites_.users_of[lifetime];
    if (users.empty() || users.back() != number) users.push_back(number);
    std::int64_t& bytes = sites_.bytes[lifetime];
    bytes = std::max({bytes, tensor.extent_bytes, lifetimes_.all[lifetime].bytes});
  }

  const trace::HostArguments& arguments_;
  const Lifetimes& lifetimes_;
  TensorSites sites_;
};

}  // namespace

TensorSites find_tensor_sites(const trace::HostTrace& host, const Schemas& schemas,
                              const trace::HostArguments& arguments, const Lifetimes& lifetimes, ChosenCalls& chosen) {
  SiteCollector collector(arguments, lifetimes);
  std::size_t count = 0;
  for (const RecordedCall& call : chosen.calls) count += call.tensors.size();
  collector.reserve(count);
  for (std::uint32_t i = 0; i < chosen.calls.size(); ++i) {
    collector.begin_call(chosen.rows[i], chosen.calls[i], schemas.by_text()[host.op_schema[chosen.rows[i]]]);
    collector.add(chosen.calls[i].tensors);
  }
  for (std::uint32_t row = 0; row < chosen.collective.size(); ++row) {
    if (chosen.collective[row] == kNoNumber32) continue;
    CollectiveCall& collective = chosen.collectives[chosen.collective[row]];
    collector.begin_collective(row, collective.kind);
    collector.add(collective.inputs);
    collector.add(collective.outputs);
  }
  return collector.take();
}

}  // namespace orrery::replay::torch
