#include "analyze/roofline/operands.h"

#include <algorithm>

#include "base/numbers.h"
#include "match/communication.h"

namespace orrery::analyze {
namespace {

using machine::DataType;

/// Of what is multiplied; integers that are not of 8 bits are computed as fp32 is, outside of matrix units.
DataType type_of(std::string_view name) {
  const auto has = [&](std::string_view word) { return name.find(word) != std::string_view::npos; };
  if (has("BFloat16")) return DataType::bf16;
  if (has("Half")) return DataType::fp16;
  if (has("Float8")) return DataType::fp8;
  if (has("Float4")) return DataType::fp4;
  if (has("double")) return DataType::fp64;
  return has("char") ? DataType::int8 : DataType::fp32;
}

double bytes_of_type(std::string_view name) {
  if (name.find("Float8") != std::string_view::npos) return 1;
  if (name.find("Float4") != std::string_view::npos) return 1;  // two numbers in each element
  return static_cast<double>(match::element_bytes(name));
}

}  // namespace

double elements(const Shape& shape) {
  double count = 1;
  for (const std::int64_t size : shape) count *= static_cast<double>(size);
  return count;
}

std::optional<Operands> Operands::parse(const OperatorCall& call) {
  std::optional<std::vector<Operand>> shapes = parse_shapes(call.shapes);
  if (!shapes) return std::nullopt;
  Operands operands;
  operands.operands_ = std::move(*shapes);
  operands.values_ = parse_texts(call.values);
  const std::vector<std::string> types = parse_texts(call.types);
  for (std::size_t i = 0; i < operands.operands_.size(); ++i) {
    const std::string_view type = i < types.size() ? std::string_view(types[i]) : std::string_view();
    operands.element_bytes_.push_back(bytes_of_type(type));
    operands.types_.push_back(type_of(type));
  }
  return operands;
}

double Operands::broadcast_elements() const {
  Shape together;
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    if (!is_tensor(i)) continue;
    const Shape& own = shape(i);
    if (own.size() > together.size()) together.insert(together.begin(), own.size() - together.size(), 1);
    // Shapes are aligned at their last dimension.
    for (std::size_t d = 0; d < own.size(); ++d) {
      std::int64_t& size = together[together.size() - own.size() + d];
      size = std::max(size, own[d]);
    }
  }
  return elements(together);
}

bool Operands::is_true(std::size_t i) const {
  return i < values_.size() && (values_[i] == "True" || values_[i] == "true" || values_[i] == "1");
}

Shape Operands::list(std::size_t i) const {
  Shape numbers;
  if (i >= values_.size()) return numbers;
  for (std::string_view rest = values_[i]; !rest.empty();) {
    const std::size_t at = rest.find_first_of("0123456789");
    if (at == std::string_view::npos) break;
    rest.remove_prefix(at);
    numbers.push_back(leading_number<std::int64_t>(rest).value_or(0));
    rest.remove_prefix(std::min(rest.find_first_not_of("0123456789"), rest.size()));
  }
  return numbers;
}

std::optional<std::int64_t> Operands::number(std::size_t i) const {
  return i < values_.size() ? leading_number<std::int64_t>(values_[i]) : std::nullopt;
}

}  // namespace orrery::analyze
