#include "replay/torch/scale/scale_seeds.h"

#include <algorithm>
#include <array>
#include <functional>

#include "replay/torch/scale/dimension_rules.h"

// What looks most like the job's data is tried first: what is copied from the host, what is used as an index, what is
// random, what is never written. Of the first kind that is there the largest tensor says the size, and those alike join
// it.

namespace orrery::replay::torch {
namespace {

class SeedSearch {
 public:
  SeedSearch(const trace::HostTrace& host, const Schemas& schemas, const ChosenCalls& chosen,
             const trace::HostArguments& arguments, const Lifetimes& lifetimes)
      : host_(host), schemas_(schemas), chosen_(chosen), arguments_(arguments), lifetimes_(lifetimes) {}

  std::vector<ScaleSeed> of_data(std::uint32_t dimension) {
    const std::function<bool(std::uint32_t, std::uint32_t)> kinds[] = {
        [&](std::uint32_t call, std::uint32_t t) { return is_copied_in(call, t); },
        [&](std::uint32_t call, std::uint32_t t) { return is_index(call, t); },
        [&](std::uint32_t call, std::uint32_t t) { return is_random(call, t); },
        [&](std::uint32_t call, std::uint32_t t) { return is_never_written(call, t); },
    };
    find_written();
    for (const auto& is_data : kinds) {
      std::vector<ScaleSeed> found = largest(dimension, is_data);
      if (found.empty()) continue;
      add_alike(dimension, found);
      return found;
    }
    return {};
  }

  std::vector<ScaleSeed> of_size(std::int64_t size) {
    std::vector<ScaleSeed> of_given, of_all;
    each([&](std::uint32_t call, std::uint32_t t) {
      const RecordedTensor& tensor = tensor_at(call, t);
      for (std::uint32_t d = 0; d < tensor.shape.size(); ++d) {
        // What is expanded follows what it is used with.
        if (tensor.shape[d] != size || tensor.stride[d] == 0) continue;
        of_all.push_back({call, t, d});
        if (is_given(call, t)) of_given.push_back({call, t, d});
      }
    });
    return of_given.empty() ? of_all : of_given;
  }

 private:
  [[nodiscard]] const RecordedTensor& tensor_at(std::uint32_t call, std::uint32_t t) const {
    return chosen_.calls[call].tensors[t];
  }
  [[nodiscard]] std::uint32_t use_of(std::uint32_t call, std::uint32_t t) const {
    return arguments_.first[chosen_.rows[call]] + tensor_at(call, t).use;
  }
  [[nodiscard]] std::uint32_t lifetime_of(std::uint32_t call, std::uint32_t t) const {
    return lifetimes_.of_use[use_of(call, t)];
  }
  [[nodiscard]] bool is_given(std::uint32_t call, std::uint32_t t) const {
    return lifetime_of(call, t) != kNoLifetime && lifetimes_.all[lifetime_of(call, t)].maker == causal::kNoRow;
  }
  [[nodiscard]] const pytorch_et::OperatorSchema& schema_of(std::uint32_t call) const {
    return *schemas_.by_text()[host_.op_schema[chosen_.rows[call]]];
  }
  [[nodiscard]] std::string_view argument_of(std::uint32_t call, std::uint32_t t) const {
    const std::int32_t argument = tensor_at(call, t).argument;
    return argument < 0 ? std::string_view() : schema_of(call).arguments[static_cast<std::size_t>(argument)].name;
  }

  template <typename Take>
  void each(const Take& take) const {
    for (std::uint32_t call = 0; call < chosen_.calls.size(); ++call) {
      for (std::uint32_t t = 0; t < chosen_.calls[call].tensors.size(); ++t) {
        // What has no elements has no data.
        if (lifetime_of(call, t) != kNoLifetime) take(call, t);
      }
    }
  }

  [[nodiscard]] bool is_copied_in(std::uint32_t call, std::uint32_t t) const {
    const RecordedCall& recorded = chosen_.calls[call];
    const std::string_view name = without_in_place(schema_of(call).name);
    if (t < recorded.inputs || (name != "aten::copy" && name != "aten::_to_copy") ||
        arguments_.tensors[use_of(call, t)].is_on_host)
      return false;
    for (std::uint32_t in = 0; in < recorded.inputs; ++in) {
      if (arguments_.tensors[use_of(call, in)].is_on_host) return true;
    }
    return false;
  }

  [[nodiscard]] bool is_index(std::uint32_t call, std::uint32_t t) const {
    const std::string_view argument = argument_of(call, t);
    return tensor_at(call, t).type.is_integer && is_given(call, t) &&
           (argument == "indices" || argument == "index" || argument == "target");
  }

  [[nodiscard]] bool is_random(std::uint32_t call, std::uint32_t t) const {
    static constexpr std::array<std::string_view, 6> kRandom = {"aten::normal", "aten::uniform", "aten::random",
                                                                "aten::randn",  "aten::rand",    "aten::randint"};
    return t >= chosen_.calls[call].inputs &&
           std::find(kRandom.begin(), kRandom.end(), without_in_place(schema_of(call).name)) != kRandom.end();
  }

  void find_written() {
    is_written_.assign(lifetimes_.all.size(), 0);
    each([&](std::uint32_t call, std::uint32_t t) {
      const bool writes = t >= chosen_.calls[call].inputs || arguments_.tensors[use_of(call, t)].is_written;
      if (!writes || lifetime_of(call, t) == kNoLifetime) return;
      is_written_[lifetime_of(call, t)] = 1;
      trains_ |= is_given(call, t);
    });
  }
  [[nodiscard]] bool is_never_written(std::uint32_t call, std::uint32_t t) const {
    return trains_ && is_given(call, t) && is_written_[lifetime_of(call, t)] == 0;
  }

  template <typename IsData>
  std::vector<ScaleSeed> largest(std::uint32_t dimension, const IsData& is_data) const {
    std::vector<ScaleSeed> found;
    std::int64_t largest_extent = 0, size = 0;
    each([&](std::uint32_t call, std::uint32_t t) {
      const RecordedTensor& tensor = tensor_at(call, t);
      if (dimension >= tensor.shape.size() || tensor.shape[dimension] < 2 || tensor.stride[dimension] == 0 ||
          !is_data(call, t))
        return;
      found.push_back({call, t, dimension});
      if (tensor.extent_bytes > largest_extent) largest_extent = tensor.extent_bytes, size = tensor.shape[dimension];
    });
    std::erase_if(found,
                  [&](const ScaleSeed& seed) { return tensor_at(seed.call, seed.tensor).shape[dimension] != size; });
    return found;
  }

  // Strides tell that it is the same sort of data, also where only slices of it are seen.
  void add_alike(std::uint32_t dimension, std::vector<ScaleSeed>& found) const {
    const RecordedTensor data = tensor_at(found.front().call, found.front().tensor);
    each([&](std::uint32_t call, std::uint32_t t) {
      const RecordedTensor& tensor = tensor_at(call, t);
      const bool is_alike = tensor.type.name == data.type.name && tensor.stride == data.stride &&
                            data.shape.size() > 1 &&
                            std::equal(tensor.shape.begin(), tensor.shape.end(), data.shape.begin(),
                                       [](std::int64_t size, std::int64_t whole) {
                                         // By at most an eighth, as a sequence and its shifted target differ.
                                         return size > 1 && size <= whole && whole - size <= whole / 8;
                                       });
      if (is_alike && is_given(call, t) && !arguments_.tensors[use_of(call, t)].is_on_host)
        found.push_back({call, t, dimension});
    });
  }

  const trace::HostTrace& host_;
  const Schemas& schemas_;
  const ChosenCalls& chosen_;
  const trace::HostArguments& arguments_;
  const Lifetimes& lifetimes_;
  std::vector<std::uint8_t> is_written_;  // per lifetime, by a call
  bool trains_ = false;
};

}  // namespace

std::vector<ScaleSeed> find_scale_seeds(const ScaleRequest& request, const trace::HostTrace& host,
                                        const Schemas& schemas, const ChosenCalls& chosen,
                                        const trace::HostArguments& arguments, const Lifetimes& lifetimes) {
  SeedSearch search(host, schemas, chosen, arguments, lifetimes);
  if (request.what == ScaleRequest::What::size) return search.of_size(request.size);
  return search.of_data(request.what == ScaleRequest::What::batch ? 0 : 1);
}

}  // namespace orrery::replay::torch
