// A number and its noun.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/units.h"

namespace orrery::report {

/// "1 kernel", "2,000 kernels": for nouns that take an s.
inline std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

}  // namespace orrery::report
