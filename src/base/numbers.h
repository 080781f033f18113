// Numbers as texts spell them: the one way from text to number, with the rules of std::from_chars everywhere. The
// decimal point is a point in every locale, a minus may lead and a plus may not, no blank is skipped, and what does not
// fit its type is no number.
//
// A caller says how much of the text has to be the number: all of it (parse_number), its front with whatever follows
// (leading_number), or its front, which is then used up (take_number). Reading a file's events has faster ways of its
// own (json_scan.h).
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace orrery {

/// What stands at the front of a text, for messages that say why it is no number, and where it ends to be one.
template <typename Number>
struct NumberScan {
  Number value{};        ///< 0 unless `is_number()`
  std::size_t used = 0;  ///< bytes that belong to a number, be it too large
  bool in_range = true;

  [[nodiscard]] bool is_number() const { return in_range && used > 0; }
  [[nodiscard]] bool is_all_of(std::string_view text) const { return is_number() && used == text.size(); }
};

/// `base`: of whole numbers; 16 takes digits without "0x".
template <typename Number>
NumberScan<Number> scan_number(std::string_view text, [[maybe_unused]] int base = 10) {
  NumberScan<Number> scan;
  std::from_chars_result result{};
  if constexpr (std::is_integral_v<Number>)
    result = std::from_chars(text.data(), text.data() + text.size(), scan.value, base);
  else result = std::from_chars(text.data(), text.data() + text.size(), scan.value);
  scan.used = static_cast<std::size_t>(result.ptr - text.data());
  scan.in_range = result.ec != std::errc::result_out_of_range;
  return scan;
}

/// The number that `text` is; none if it is anything else, or empty. A double may be infinite or not a number: see
/// parse_finite.
template <typename Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
  const NumberScan<Number> scan = scan_number<Number>(text, base);
  return scan.is_all_of(text) ? std::optional(scan.value) : std::nullopt;
}

/// The same into `out`, which stays as it was where `text` is no number.
template <typename Number>
bool parse_number(std::string_view text, Number& out, int base = 10) {
  const std::optional<Number> number = parse_number<Number>(text, base);
  if (number) out = *number;
  return number.has_value();
}

inline std::optional<double> parse_finite(std::string_view text) {
  const std::optional<double> number = parse_number<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

/// The number at the front of `text`, whatever follows it: the 7 of "7 warps".
template <typename Number>
std::optional<Number> leading_number(std::string_view text) {
  const NumberScan<Number> scan = scan_number<Number>(text);
  return scan.is_number() ? std::optional(scan.value) : std::nullopt;
}

/// The number at the front of `text`, which then begins behind it; where there is none, nothing changes.
template <typename Number>
bool take_number(std::string_view& text, Number& out, int base = 10) {
  const NumberScan<Number> scan = scan_number<Number>(text, base);
  if (!scan.is_number()) return false;
  out = scan.value;
  text.remove_prefix(scan.used);
  return true;
}

}  // namespace orrery
