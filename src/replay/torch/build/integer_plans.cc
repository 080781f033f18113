#include "replay/torch/build/integer_plans.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

#include "base/numbers.h"
#include "formats/pytorch_et/arguments.h"
#include "replay/torch/write/tensor_text.h"

// A table says which operators read such integers and what they have to add up to. Every such use makes a plan for its
// storage, and copies, followed from the last to the first, carry plans back to where the integers came from.

namespace orrery::replay::torch {
namespace {

/// How many parts n offsets divide something into.
enum class Ends : std::uint8_t {
  open,      // n: the last one goes to the end
  closed,    // n - 1: the last is the end
  as_asked,  // by the argument include_last_offset
};

constexpr std::string_view kResult = "->";  // the first tensor that is returned
constexpr int kElements = -1;               // instead of a dimension: all of them

/// An operator that takes such integers, and what they are about.
struct PlannedOperator {
  std::string_view name;      // without in-place "_"
  std::string_view integers;  // an argument
  PlanKind kind;
  std::string_view total;  // the argument whose size is the total, or kResult
  int size;                // which of its sizes; kElements
  Ends ends = Ends::open;
  std::string_view dim = {};  // the argument that says which size, where there is one
};

constexpr std::array kPlanned = {
    PlannedOperator{"aten::embedding_bag", "offsets", PlanKind::offsets, "indices", kElements, Ends::as_asked},
    PlannedOperator{"aten::_embedding_bag", "offsets", PlanKind::offsets, "indices", kElements, Ends::as_asked},
    PlannedOperator{"aten::_embedding_bag_forward_only", "offsets", PlanKind::offsets, "indices", kElements,
                    Ends::as_asked},
    PlannedOperator{"aten::_flash_attention_forward", "cum_seq_q", PlanKind::offsets, "query", 0, Ends::closed},
    PlannedOperator{"aten::_flash_attention_forward", "cum_seq_k", PlanKind::offsets, "key", 0, Ends::closed},
    PlannedOperator{"aten::_flash_attention_backward", "cum_seq_q", PlanKind::offsets, "query", 0, Ends::closed},
    PlannedOperator{"aten::_flash_attention_backward", "cum_seq_k", PlanKind::offsets, "key", 0, Ends::closed},
    PlannedOperator{"aten::_cudnn_attention_forward", "cum_seq_q", PlanKind::offsets, "query", 0, Ends::closed},
    PlannedOperator{"aten::_cudnn_attention_forward", "cum_seq_kv", PlanKind::offsets, "key", 0, Ends::closed},
    PlannedOperator{"aten::_cudnn_attention_backward", "cum_seq_q", PlanKind::offsets, "query", 0, Ends::closed},
    PlannedOperator{"aten::_cudnn_attention_backward", "cum_seq_k", PlanKind::offsets, "key", 0, Ends::closed},
    // Theirs have a batch of one in front.
    PlannedOperator{"aten::_efficient_attention_forward", "cu_seqlens_q", PlanKind::offsets, "query", 1, Ends::closed},
    PlannedOperator{"aten::_efficient_attention_forward", "cu_seqlens_k", PlanKind::offsets, "key", 1, Ends::closed},
    PlannedOperator{"aten::_efficient_attention_backward", "cu_seqlens_q", PlanKind::offsets, "query", 1, Ends::closed},
    PlannedOperator{"aten::_efficient_attention_backward", "cu_seqlens_k", PlanKind::offsets, "key", 1, Ends::closed},
    PlannedOperator{"aten::segment_reduce", "lengths", PlanKind::lengths, "data", 0, Ends::open, "axis"},
    PlannedOperator{"aten::segment_reduce", "offsets", PlanKind::offsets, "data", 0, Ends::closed, "axis"},
    PlannedOperator{"aten::repeat_interleave", "repeats", PlanKind::lengths, kResult, 0, Ends::open, "dim"},
    PlannedOperator{"aten::nonzero", "self", PlanKind::lengths, kResult, 0},
    PlannedOperator{"aten::masked_select", "mask", PlanKind::lengths, kResult, 0},
    PlannedOperator{"aten::index", "indices", PlanKind::lengths, kResult, 0},  // by a mask
    PlannedOperator{"aten::bincount", "self", PlanKind::spread, kResult, 0},
    PlannedOperator{"aten::_unique", "self", PlanKind::spread, kResult, 0},
    PlannedOperator{"aten::_unique2", "self", PlanKind::spread, kResult, 0},
    PlannedOperator{"aten::unique_consecutive", "self", PlanKind::offsets, kResult, 0},
    PlannedOperator{"fbgemm::dense_embedding_codegen_lookup_function", "offsets", PlanKind::offsets, "indices",
                    kElements, Ends::closed},
    PlannedOperator{"fbgemm::split_embedding_codegen_lookup_adagrad_function", "offsets", PlanKind::offsets, "indices",
                    kElements, Ends::closed},
    PlannedOperator{"fbgemm::split_embedding_codegen_lookup_rowwise_adagrad_function", "offsets", PlanKind::offsets,
                    "indices", kElements, Ends::closed},
    PlannedOperator{"fbgemm::split_embedding_codegen_lookup_sgd_function", "offsets", PlanKind::offsets, "indices",
                    kElements, Ends::closed},
    PlannedOperator{"fbgemm::jagged_to_padded_dense", "offsets", PlanKind::offsets, "values", 0, Ends::closed},
    PlannedOperator{"fbgemm::dense_to_jagged", "offsets", PlanKind::offsets, kResult, 0, Ends::closed},
};

/// What hands over every element in its order.
constexpr std::array<std::string_view, 4> kElementwiseCopies = {"aten::_to_copy", "aten::clone", "aten::contiguous",
                                                                "aten::_copy_from"};

bool is_truth(const RecordedTensor& tensor) { return tensor.type.name == "bool"; }

/// Of its first dimensions.
bool is_mask_of(const RecordedTensor& mask, const RecordedTensor& tensor) {
  return is_truth(mask) && mask.shape.size() <= tensor.shape.size() &&
         std::equal(mask.shape.begin(), mask.shape.end(), tensor.shape.begin());
}

std::int64_t count_of(const RecordedTensor& tensor) {
  std::int64_t count = 1;
  for (const std::int64_t size : tensor.shape) count *= size;
  return count;
}

/// Element after element, without gaps.
bool is_dense(const RecordedTensor& tensor) {
  std::int64_t step = 1;
  for (std::size_t d = tensor.shape.size(); d-- > 0;) {
    if (tensor.shape[d] != 1 && tensor.stride[d] != step) return false;
    step *= tensor.shape[d];
  }
  return true;
}

class PlanSearch {
 public:
  PlanSearch(const trace::HostTrace& host, const Schemas& schemas, const ChosenCalls& chosen,
             const trace::HostArguments& arguments, const Lifetimes& lifetimes)
      : host_(host), schemas_(schemas), chosen_(chosen), arguments_(arguments), lifetimes_(lifetimes) {}

  std::vector<IntegerPlan> run() {
    for (std::size_t i = 0; i < chosen_.rows.size(); ++i) take(chosen_.rows[i], chosen_.calls[i]);
    follow_copies();
    std::vector<IntegerPlan> plans;
    for (const auto& [lifetime, parts] : plans_) {
      for (const auto& [first, plan] : parts) plans.push_back(plan);
    }
    return plans;
  }

 private:
  /// `count` elements of one storage that were copied to another.
  struct Copied {
    std::uint32_t from, to;
    std::int64_t from_first, to_first, count;
  };

  void take(std::uint32_t row, const RecordedCall& call) {
    const pytorch_et::OperatorSchema& schema = *schemas_.by_text()[host_.op_schema[row]];
    // An operator in place takes the same integers as the one that returns a new tensor.
    std::string_view name = schema.name;
    if (name.ends_with('_')) name.remove_suffix(1);
    for (const PlannedOperator& planned : kPlanned) {
      if (planned.name == name) plan(row, call, schema, planned);
    }
    const bool is_copy = name == "aten::copy";
    if (is_copy || std::find(kElementwiseCopies.begin(), kElementwiseCopies.end(), name) != kElementwiseCopies.end())
      add_copy(row, call, is_copy);
  }

  static std::int32_t argument_called(const pytorch_et::OperatorSchema& schema, std::string_view name) {
    for (std::size_t i = 0; i < schema.arguments.size(); ++i) {
      if (schema.arguments[i].name == name) return static_cast<std::int32_t>(i);
    }
    return -2;
  }

  [[nodiscard]] std::uint32_t lifetime_of(std::uint32_t row, const RecordedTensor& tensor) const {
    return lifetimes_.of_use[arguments_.first[row] + tensor.use];
  }

  /// As recorded; empty: there is no such argument.
  [[nodiscard]] std::string_view value_of(std::uint32_t row, const pytorch_et::OperatorSchema& schema,
                                          std::string_view argument) const {
    const std::int32_t place = argument_called(schema, argument);
    const auto lists = pytorch_et::input_lists(host_, row);
    const auto values = values_of(lists.values, lists.types, lists.shapes, lists.strides);
    if (place < 0 || place >= static_cast<std::int32_t>(values.size())) return {};
    return values[static_cast<std::size_t>(place)].value;
  }

  [[nodiscard]] bool is_asked(std::uint32_t row, const pytorch_et::OperatorSchema& schema,
                              std::string_view argument) const {
    const std::string_view value = value_of(row, schema, argument);
    return value == "true" || value == "True" || value == "1";
  }

  [[nodiscard]] std::optional<std::int64_t> total_of(std::uint32_t row, const RecordedCall& call,
                                                     const pytorch_et::OperatorSchema& schema,
                                                     const PlannedOperator& planned) const {
    const bool is_result = planned.total == kResult;
    const std::int32_t argument = argument_called(schema, planned.total);
    for (std::size_t i = is_result ? call.inputs : 0; i < (is_result ? call.tensors.size() : call.inputs); ++i) {
      const RecordedTensor& tensor = call.tensors[i];
      if (!is_result && tensor.argument != argument) continue;
      if (planned.size == kElements) return count_of(tensor);
      const auto rank = static_cast<std::int64_t>(tensor.shape.size());
      std::int64_t size = planned.dim.empty()
                              ? planned.size
                              : parse_number<std::int64_t>(value_of(row, schema, planned.dim)).value_or(planned.size);
      // Dimensions below zero are counted from the end.
      if (size < 0) size += rank;
      if (size < 0 || size >= rank) return std::nullopt;
      return tensor.shape[static_cast<std::size_t>(size)];
    }
    return std::nullopt;
  }

  void plan(std::uint32_t row, const RecordedCall& call, const pytorch_et::OperatorSchema& schema,
            const PlannedOperator& planned) {
    const std::optional<std::int64_t> total = total_of(row, call, schema, planned);
    if (!total || *total < 0) return;
    const std::int32_t argument = argument_called(schema, planned.integers);
    const auto is_meant = [&](const RecordedTensor& tensor) { return tensor.argument == argument; };
    // Of several masks nobody knows how many each has, nor of one behind other dimensions.
    const bool by_mask = planned.name == "aten::index";
    const auto inputs = call.tensors.begin() + static_cast<std::ptrdiff_t>(call.inputs);
    if (by_mask && std::count_if(call.tensors.begin(), inputs, is_meant) != 1) return;
    for (auto tensor = call.tensors.begin(); tensor != inputs; ++tensor) {
      const std::uint32_t lifetime = lifetime_of(row, *tensor);
      if (!is_meant(*tensor) || lifetime == kNoLifetime || !is_dense(*tensor)) continue;
      if (by_mask ? !is_mask_of(*tensor, call.tensors.front()) : !(tensor->type.is_integer || is_truth(*tensor)))
        continue;
      IntegerPlan found{lifetime, tensor->offset, count_of(*tensor), planned.kind, *total, count_of(*tensor)};
      const bool has_end = planned.ends == Ends::closed ||
                           (planned.ends == Ends::as_asked && is_asked(row, schema, "include_last_offset"));
      if (has_end) --found.parts;
      // A truth value counts once.
      if (is_truth(*tensor) && found.total > found.count) continue;
      // The runtime multiplies two of them in 64 bits.
      constexpr std::int64_t kMost = std::int64_t{1} << 31;
      if (found.count > 0 && found.parts > 0 && found.count < kMost && found.total < kMost) add(found);
    }
  }

  void add_copy(std::uint32_t row, const RecordedCall& call, bool in_place) {
    // copy_(self, src) writes its first argument; of the others the result is new.
    const std::size_t source = in_place ? 1 : 0, target = in_place ? 0 : call.inputs;
    if (std::max(source, target) >= call.tensors.size() || source >= call.inputs) return;
    const RecordedTensor &from = call.tensors[source], &to = call.tensors[target];
    const std::uint32_t from_lifetime = lifetime_of(row, from), to_lifetime = lifetime_of(row, to);
    if (from_lifetime == kNoLifetime || to_lifetime == kNoLifetime || from_lifetime == to_lifetime) return;
    if (from.shape != to.shape || !is_dense(from) || !is_dense(to)) return;
    copies_.push_back({from_lifetime, to_lifetime, from.offset, to.offset, count_of(from)});
  }

  // From the last copy to the first, so that what a copy was copied from is found, too.
  void follow_copies() {
    for (auto copy = copies_.rbegin(); copy != copies_.rend(); ++copy) {
      const auto of_target = plans_.find(copy->to);
      if (of_target == plans_.end()) continue;
      for (auto at = of_target->second.lower_bound(copy->to_first); at != of_target->second.end(); ++at) {
        IntegerPlan plan = at->second;
        // A plan that goes beyond what was copied is not one of this copy's.
        if (plan.first + plan.count > copy->to_first + copy->count) break;
        plan.lifetime = copy->from;
        // The same elements, counted from where the copy took them.
        plan.first += copy->from_first - copy->to_first;
        add(plan);
      }
    }
  }

  /// Unless something of it is planned already.
  void add(const IntegerPlan& plan) {
    std::map<std::int64_t, IntegerPlan>& of_lifetime = plans_[plan.lifetime];
    const auto next = of_lifetime.lower_bound(plan.first);
    if (next != of_lifetime.end() && next->first < plan.first + plan.count) return;
    if (next != of_lifetime.begin() && std::prev(next)->first + std::prev(next)->second.count > plan.first) return;
    of_lifetime.emplace_hint(next, plan.first, plan);
  }

  const trace::HostTrace& host_;
  const Schemas& schemas_;
  const ChosenCalls& chosen_;
  const trace::HostArguments& arguments_;
  const Lifetimes& lifetimes_;
  std::map<std::uint32_t, std::map<std::int64_t, IntegerPlan>> plans_;  // by lifetime and first element
  std::vector<Copied> copies_;
};

}  // namespace

const char* identifier(PlanKind kind) {
  static constexpr const char* kNames[] = {"offsets", "lengths", "spread"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<IntegerPlan> integer_plans(const trace::HostTrace& host, const Schemas& schemas, const ChosenCalls& chosen,
                                       const trace::HostArguments& arguments, const Lifetimes& lifetimes) {
  return PlanSearch(host, schemas, chosen, arguments, lifetimes).run();
}

}  // namespace orrery::replay::torch
