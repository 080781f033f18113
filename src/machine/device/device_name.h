// What devices are called in descriptions of networks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/numbers.h"

namespace orrery::machine {

/// The 3 of "device3"; none for any other text, such as "device03" or "device_a", which name switches.
inline std::optional<std::uint64_t> device_number(std::string_view name) {
  constexpr std::string_view kPrefix = "device";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  if (name.empty() || (name.size() > 1 && name.front() == '0')) return std::nullopt;
  return parse_number<std::uint64_t>(name);
}

}  // namespace orrery::machine
