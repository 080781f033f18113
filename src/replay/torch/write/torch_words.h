// What PyTorch calls its types, layouts and memory formats: in C++, as recorded, and in Python, as operation lists have
// it.
#pragma once

#include <cstdint>
#include <string_view>

namespace orrery::replay::torch {

/// A type of elements. Empty name: not known.
struct ElementType {
  std::string_view name;  ///< as Python has it: "bfloat16"
  std::int64_t bytes = 0;
  bool is_integer = false;  ///< bool is none
};

/// Of the recorded type of a tensor: "Tensor(c10::BFloat16)".
ElementType element_type_of(std::string_view recorded);
/// The number that the recording has for it (c10::ScalarType).
std::string_view element_type_name(std::int64_t number);
std::string_view layout_name(std::int64_t number);
std::string_view memory_format_name(std::int64_t number);

/// A tensor that was recorded as undefined.
bool is_undefined_tensor(std::string_view recorded);

}  // namespace orrery::replay::torch
