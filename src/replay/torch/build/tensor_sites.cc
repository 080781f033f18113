#include "replay/torch/build/tensor_sites.h"

#include <algorithm>

namespace orrery::replay::torch {
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
