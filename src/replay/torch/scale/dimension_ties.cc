#include "replay/torch/scale/dimension_ties.h"

#include <algorithm>

#include "base/numbers.h"
#include "formats/pytorch_et/arguments.h"
#include "replay/torch/write/tensor_text.h"

namespace orrery::replay::torch {

DimensionTies::DimensionTies(const trace::HostTrace& host, std::uint32_t row, const RecordedCall& call,
                             const pytorch_et::OperatorSchema& schema, std::int64_t counted)
    : host_(host), row_(row), call_(call), schema_(schema), counted_(counted) {
  for (std::uint32_t i = 0; i < call.tensors.size(); ++i) {
    (i < call.inputs ? inputs_ : outputs_).push_back(i);
    all_.push_back(i);
  }
}

std::vector<std::uint32_t> DimensionTies::given(std::string_view argument) const {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t i : inputs_) {
    if (schema_.arguments[static_cast<std::size_t>(call_.tensors[i].argument)].name == argument) found.push_back(i);
  }
  return found;
}

std::optional<std::uint32_t> DimensionTies::one(std::string_view argument) const {
  const auto found = given(argument);
  return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

std::optional<std::uint32_t> DimensionTies::one_of(std::string_view argument, std::string_view other) const {
  const auto found = one(argument);
  return found ? found : one(other);
}

std::optional<RecordedValue> DimensionTies::value(std::string_view argument) const {
  const auto lists = pytorch_et::input_lists(host_, row_);
  const auto values = values_of(lists.values, lists.types, lists.shapes, lists.strides);
  for (std::size_t i = 0; i < schema_.arguments.size() && i < values.size(); ++i) {
    if (schema_.arguments[i].name == argument) return values[i];
  }
  return std::nullopt;
}

std::optional<std::int64_t> DimensionTies::integer(std::string_view argument) const {
  const auto found = value(argument);
  return found ? parse_number<std::int64_t>(found->value) : std::nullopt;
}

std::vector<std::int64_t> DimensionTies::integers(std::string_view argument) const {
  const auto found = value(argument);
  if (!found) return {};
  if (const auto single = parse_number<std::int64_t>(found->value)) return {*single};
  return parse_integers(found->value).value_or(std::vector<std::int64_t>());
}

std::optional<std::uint32_t> DimensionTies::along(std::uint32_t tensor) const {
  std::int64_t dimension = integer("dim").value_or(0);
  // Python counts from the end where the number is negative.
  dimension += dimension < 0 ? rank(tensor) : 0;
  if (dimension < 0 || dimension >= rank(tensor)) return std::nullopt;
  return static_cast<std::uint32_t>(dimension);
}

void DimensionTies::tie(const std::vector<DimensionRef>& members) {
  std::int64_t largest = 0;
  for (const DimensionRef& member : members) largest = std::max(largest, size(member));
  DimensionGroup group;
  for (const DimensionRef& member : members) {
    // A size of 1 is broadcast and follows nothing; of the others only those of the largest size are the dimension.
    if (largest > 1 && size(member) == largest) group.members.push_back(member);
  }
  if (!group.members.empty()) groups_.push_back(std::move(group));
}

void DimensionTies::tie_equal(const std::vector<DimensionRef>& members) {
  std::vector<DimensionRef> equal;
  for (const DimensionRef& member : members) {
    if (size(member) == size(members.front())) equal.push_back(member);
  }
  tie(equal);
}

void DimensionTies::align(const std::vector<std::uint32_t>& tensors) {
  std::uint32_t ranks = 0;
  for (const std::uint32_t tensor : tensors) ranks = std::max(ranks, rank(tensor));
  // As broadcasting aligns: from the last dimension on, and what a tensor lacks in front is left out.
  for (std::uint32_t from_last = 0; from_last < ranks; ++from_last) {
    std::vector<DimensionRef> members;
    for (const std::uint32_t tensor : tensors) {
      if (from_last < rank(tensor)) members.push_back({tensor, rank(tensor) - 1 - from_last});
    }
    tie(members);
  }
}

void DimensionTies::leave_free(const std::vector<std::uint32_t>& tensors) {
  for (const std::uint32_t tensor : tensors) {
    // A group of one: it may change alone.
    for (std::uint32_t d = 0; d < rank(tensor); ++d) tie({{tensor, d}});
  }
}

}  // namespace orrery::replay::torch
