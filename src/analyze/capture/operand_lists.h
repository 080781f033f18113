// What recorders write of the operands of an operator: shapes, types and values as JSON lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::analyze {

using Shape = std::vector<std::int64_t>;

/// One operand: a tensor has one shape, a list of tensors several, a number none.
struct Operand {
  std::vector<Shape> shapes;
  bool is_list = false;

  [[nodiscard]] bool is_tensor() const { return !is_list && shapes.size() == 1 && !shapes.front().empty(); }
  [[nodiscard]] const Shape& shape() const { return shapes.front(); }
};

/// "[[32,2880],[],[5120]]" -> three operands, of which the second may be a number, or a tensor without dimensions.
/// Nothing if it is no list of lists of integers, or a size is below 0.
std::optional<std::vector<Operand>> parse_shapes(std::string_view json);

/// '["c10::BFloat16", "Scalar"]' -> the texts, unescaped. Empty if it is no list of texts.
std::vector<std::string> parse_texts(std::string_view json);

/// The same JSON without blanks outside of texts: what is compared and shown.
std::string without_blanks(std::string_view json);

/// Bytes of the tensor, or of all tensors of the list, that an operator was given as operand `place`; none if that is
/// no tensor, or its type or size is not known.
std::optional<std::int64_t> bytes_of_operand(std::string_view shapes, std::string_view types, std::size_t place);

/// The product of a list of numbers: "[16, 1, 2]" -> 32; 0 if it is none.
double elements_of_list(std::string_view json);
/// Of all operands together.
double elements_of_lists(std::string_view json);

}  // namespace orrery::analyze
