// What devices are called in descriptions of networks.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery::machine {

/// The 3 of "device3"; none for any other text, such as "device03" or "device_a", which name switches.
inline std::optional<std::uint64_t> device_number(std::string_view name) {
  constexpr std::string_view kPrefix = "device";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  if (name.empty() || (name.size() > 1 && name.front() == '0')) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (code != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

}  // namespace orrery::machine
