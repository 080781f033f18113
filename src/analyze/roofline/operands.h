// The operands of a call as numbers. Private to src/analyze/roofline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/capture/operand_lists.h"
#include "analyze/capture/operator_calls.h"
#include "machine/device/peak_rates.h"

namespace orrery::analyze {

/// 0 of a shape with a size of 0.
double elements(const Shape& shape);

class Operands {
 public:
  /// Nothing if the shapes are no lists of sizes.
  static std::optional<Operands> parse(const OperatorCall& call);

  [[nodiscard]] std::size_t size() const { return operands_.size(); }
  /// A tensor with dimensions whose type has a known size.
  [[nodiscard]] bool is_tensor(std::size_t i) const {
    return i < operands_.size() && operands_[i].is_tensor() && element_bytes_[i] > 0;
  }
  [[nodiscard]] const Shape& shape(std::size_t i) const { return operands_[i].shape(); }
  [[nodiscard]] double element_bytes(std::size_t i) const { return element_bytes_[i]; }
  [[nodiscard]] double bytes(std::size_t i) const { return elements(shape(i)) * element_bytes_[i]; }
  [[nodiscard]] machine::DataType type(std::size_t i) const { return types_[i]; }
  /// Of the shape that all tensors have together, each dimension the largest of theirs.
  [[nodiscard]] double broadcast_elements() const;
  /// Values: "True", "1"; a list "[1, 1]".
  [[nodiscard]] bool is_true(std::size_t i) const;
  [[nodiscard]] Shape list(std::size_t i) const;
  [[nodiscard]] std::optional<std::int64_t> number(std::size_t i) const;

 private:
  std::vector<Operand> operands_;
  std::vector<double> element_bytes_;
  std::vector<machine::DataType> types_;
  std::vector<std::string> values_;
};

}  // namespace orrery::analyze
