#include "cli/frame/flag.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/suggest.h"

namespace orrery::cli {
namespace {

std::optional<ValueProblem> check_integer(std::string_view value, bool may_be_negative) {
  const auto scanned = scan_number<std::int64_t>(value);
  if (!scanned.in_range) return ValueProblem{"is too large"};
  if (!scanned.is_all_of(value)) return ValueProblem{"is not an integer", scanned.used};
  if (!may_be_negative && scanned.value < 0) return ValueProblem{"must not be negative"};
  return {};
}

std::optional<ValueProblem> check_number(std::string_view value) {
  const auto scanned = scan_number<double>(value);
  if (!scanned.in_range) return ValueProblem{"is out of range"};
  if (!scanned.is_all_of(value)) return ValueProblem{"is not a number", scanned.used};
  if (!std::isfinite(scanned.value)) return ValueProblem{"must be finite"};
  return {};
}

struct ByteUnit {
  std::string_view name;
  double bytes;
};
// "GB" is what format_bytes prints; "G" alone is left out, since people disagree about it.
constexpr ByteUnit kByteUnits[] = {{"", 1},
                                   {"B", 1},
                                   {"kB", 1e3},
                                   {"KB", 1e3},
                                   {"MB", 1e6},
                                   {"GB", 1e9},
                                   {"TB", 1e12},
                                   {"KiB", 1024.0},
                                   {"MiB", 1048576.0},
                                   {"GiB", 1073741824.0},
                                   {"TiB", 1099511627776.0}};

// "1.5GB" -> 1500000000. Whole numbers without a unit are exact over their whole range.
std::optional<std::int64_t> scan_bytes(std::string_view text) {
  // Not by way of a double, which has 53 bits.
  if (const auto whole = parse_number<std::int64_t>(text)) return whole;
  const auto number = scan_number<double>(text);
  if (!number.is_number() || !std::isfinite(number.value)) return std::nullopt;
  std::string_view unit = text.substr(number.used);
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  for (const ByteUnit& known : kByteUnits) {
    const double bytes = number.value * known.bytes;
    // 1.5B is no size; rounding it would hide a typing error.
    if (known.name == unit)
      return bytes < 9.2e18 && bytes == std::floor(bytes) ? std::optional(static_cast<std::int64_t>(bytes))
                                                          : std::nullopt;
  }
  return std::nullopt;
}

std::optional<ValueProblem> check_bytes(std::string_view value) {
  const auto bytes = scan_bytes(value);
  if (!bytes)
    return ValueProblem{"is not a size in bytes, like 4096, 64kB, 1GB or 1GiB", scan_number<double>(value).used};
  if (*bytes < 0) return ValueProblem{"must not be negative"};
  return {};
}

// "19.6ms" -> picoseconds. Without a unit it would be a guess.
std::optional<std::int64_t> scan_duration(std::string_view text) {
  const auto number = scan_number<double>(text);
  if (!number.is_number() || !std::isfinite(number.value)) return std::nullopt;
  std::string_view unit = text.substr(number.used);
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  const double scale = unit == "ns"                   ? 1e3
                       : unit == "us" || unit == "µs" ? 1e6
                       : unit == "ms"                 ? 1e9
                       : unit == "s"                  ? 1e12
                                                      : 0;
  const double ps = number.value * scale;
  return scale != 0 && ps < 9.2e18 ? std::optional(static_cast<std::int64_t>(std::llround(ps))) : std::nullopt;
}

std::optional<ValueProblem> check_duration(std::string_view value) {
  const auto ps = scan_duration(value);
  if (!ps)
    return ValueProblem{"is not a time with its unit, like 300ns, 19.6ms or 2s", scan_number<double>(value).used};
  if (*ps <= 0) return ValueProblem{"must be more than nothing"};
  return {};
}

}  // namespace

std::optional<ValueProblem> check_choice(std::span<const std::string_view> choices, std::string_view value) {
  std::string list;
  for (const std::string_view choice : choices) {
    if (choice == value) return {};
    list += (list.empty() ? "" : ", ") + std::string(choice);
  }
  const std::string_view near = nearest_word(value, choices);
  return ValueProblem{"is not one of: " + list + (near.empty() ? "" : " (did you mean " + std::string(near) + "?)")};
}

std::optional<ValueProblem> check_value(const Flag& flag, std::string_view value) {
  if (!flag.choices.empty()) return check_choice(split_words(flag.choices), value);
  switch (flag.kind) {
    case ValueKind::text: return {};
    case ValueKind::integer: return check_integer(value, true);
    case ValueKind::count: return check_integer(value, false);
    case ValueKind::number: return check_number(value);
    case ValueKind::bytes: return check_bytes(value);
    case ValueKind::duration: return check_duration(value);
    case ValueKind::file:
    case ValueKind::output:
    case ValueKind::directory:
      if (value.empty()) return ValueProblem{"is not a path"};
      return {};
  }
  return {};
}

std::optional<std::int64_t> parse_bytes(std::string_view text) { return scan_bytes(text); }
std::optional<std::int64_t> parse_duration(std::string_view text) { return scan_duration(text); }

const Flag* find_flag(std::span<const Flag> flags, std::string_view name) {
  for (const Flag& flag : flags) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

const Flag* find_former_flag(std::span<const Flag> flags, std::string_view name) {
  for (const Flag& flag : flags) {
    if (!flag.former_name.empty() && flag.former_name == name) return &flag;
  }
  return nullptr;
}

const Flag* find_short_flag(std::span<const Flag> flags, char short_name) {
  for (const Flag& flag : flags) {
    if (flag.short_name != '\0' && flag.short_name == short_name) return &flag;
  }
  return nullptr;
}

}  // namespace orrery::cli
