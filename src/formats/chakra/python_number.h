// Numbers as Python's repr() writes them.
#pragma once

#include <fmt/format.h>

#include <string>

namespace orrery::chakra {

/// The shortest text that reads back, with a point or an exponent: 1.0, 0.0001, 1e-05, 1e+16. Of a finite number.
inline std::string python_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace orrery::chakra
