// A number and its noun.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.h"

namespace orrery::report {

/// "1 process", "2,000 processes".
template <std::integral Count>
std::string counted(Count count, std::string_view noun, std::string_view nouns) {
  const bool is_negative = count < Count{0};
  const auto amount =
      is_negative ? std::uint64_t{0} - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
  return fmt::format("{}{} {}", is_negative ? "-" : "", format_count(amount), count == Count{1} ? noun : nouns);
}

/// Of quantities that are calculated with: "1.5 devices".
inline std::string counted(double count, std::string_view noun, std::string_view nouns) {
  return fmt::format("{} {}", count, count == 1 ? noun : nouns);
}

/// "1 kernel", "2,000 kernels": for nouns that take an s.
template <typename Count>
std::string counted(Count count, std::string_view noun) {
  return counted(count, noun, std::string(noun) + "s");
}

}  // namespace orrery::report
