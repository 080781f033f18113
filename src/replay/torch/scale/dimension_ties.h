// One call while rules find out which of its dimensions are the same: its tensors by argument, its numbers, and the
// groups found so far.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/pytorch_et/schema.h"
#include "replay/torch/source/recorded_call.h"
#include "replay/torch/write/tensor_text.h"

namespace orrery::replay::torch {

// Dimensions of a call's tensors that are the same one.

struct DimensionRef {
  std::uint32_t tensor;  ///< into RecordedCall::tensors
  std::uint32_t dimension;
};

/// What is scaled of one of them is scaled of all. A dimension that is in no group cannot be scaled.
struct DimensionGroup {
  std::vector<DimensionRef> members;  ///< of one size, above 1
  bool is_joined = false;             ///< of cat: the first is as long as all others together
};

class DimensionTies {
 public:
  /// As of dimension_groups.
  DimensionTies(const trace::HostTrace& host, std::uint32_t row, const RecordedCall& call,
                const pytorch_et::OperatorSchema& schema, std::int64_t counted);

  [[nodiscard]] const RecordedCall& call() const { return call_; }
  [[nodiscard]] const std::vector<std::int64_t>& shape(std::uint32_t tensor) const {
    return call_.tensors[tensor].shape;
  }
  [[nodiscard]] std::uint32_t rank(std::uint32_t tensor) const {
    return static_cast<std::uint32_t>(shape(tensor).size());
  }
  [[nodiscard]] std::int64_t size(DimensionRef of) const { return shape(of.tensor)[of.dimension]; }
  [[nodiscard]] std::int64_t counted() const { return counted_; }

  [[nodiscard]] const std::vector<std::uint32_t>& inputs() const { return inputs_; }
  [[nodiscard]] const std::vector<std::uint32_t>& outputs() const { return outputs_; }
  [[nodiscard]] const std::vector<std::uint32_t>& all() const { return all_; }
  /// The tensors of an argument; `one`: where it has exactly one.
  [[nodiscard]] std::vector<std::uint32_t> given(std::string_view argument) const;
  [[nodiscard]] std::optional<std::uint32_t> one(std::string_view argument) const;
  [[nodiscard]] std::optional<std::uint32_t> one_of(std::string_view argument, std::string_view other) const;

  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view argument) const;
  /// A list, or a number alone.
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view argument) const;
  /// The argument "dim" as a dimension of the tensor, counted from its end if it is negative; nothing if it has none
  /// such.
  [[nodiscard]] std::optional<std::uint32_t> along(std::uint32_t tensor) const;

  /// A group of those that have the largest size: others broadcast, or are padded.
  void tie(std::initializer_list<DimensionRef> members) { tie(std::vector<DimensionRef>(members)); }
  void tie(const std::vector<DimensionRef>& members);
  /// Those of the first one's size. Others are left to themselves, which means that they cannot be scaled.
  void tie_equal(const std::vector<DimensionRef>& members);
  /// As broadcasting has it: from the last dimension on.
  void align(const std::vector<std::uint32_t>& tensors);
  /// Each dimension by itself.
  void leave_free(const std::vector<std::uint32_t>& tensors);
  /// The first is as long as all others together.
  void join(std::vector<DimensionRef> members) { groups_.push_back({std::move(members), true}); }

  [[nodiscard]] std::vector<DimensionGroup> take_groups() { return std::move(groups_); }

 private:
  [[nodiscard]] std::optional<RecordedValue> value(std::string_view argument) const;

  const trace::HostTrace& host_;
  std::uint32_t row_;
  const RecordedCall& call_;
  const pytorch_et::OperatorSchema& schema_;
  std::int64_t counted_;
  std::vector<std::uint32_t> inputs_, outputs_, all_;
  std::vector<DimensionGroup> groups_;
};

}  // namespace orrery::replay::torch
