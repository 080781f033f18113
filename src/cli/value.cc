#include "cli/value.h"

#include <charconv>
#include <cmath>
#include <system_error>

#include "base/suggest.h"

namespace orrery::cli {
namespace {

template <typename Number>
struct Scan {
  Number value{};
  std::size_t used = 0;  // bytes that belong to a number
  bool in_range = true;

  [[nodiscard]] bool whole(std::string_view text) const { return in_range && used == text.size() && used > 0; }
};

template <typename Number>
Scan<Number> scan(std::string_view text) {
  Scan<Number> result;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result.value);
  result.used = static_cast<std::size_t>(end - text.data());
  result.in_range = error != std::errc::result_out_of_range;
  return result;
}

std::optional<ValueProblem> check_integer(std::string_view value, bool may_be_negative) {
  const auto scanned = scan<std::int64_t>(value);
  if (!scanned.in_range) return ValueProblem{"is too large"};
  if (!scanned.whole(value)) return ValueProblem{"is not an integer", scanned.used};
  if (!may_be_negative && scanned.value < 0) return ValueProblem{"must not be negative"};
  return {};
}

std::optional<ValueProblem> check_number(std::string_view value) {
  const auto scanned = scan<double>(value);
  if (!scanned.in_range) return ValueProblem{"is out of range"};
  if (!scanned.whole(value)) return ValueProblem{"is not a number", scanned.used};
  if (!std::isfinite(scanned.value)) return ValueProblem{"must be finite"};
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
    case ValueKind::file:
    case ValueKind::directory:
      if (value.empty()) return ValueProblem{"is not a path"};
      return {};
  }
  return {};
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  const auto scanned = scan<std::int64_t>(text);
  return scanned.whole(text) ? std::optional(scanned.value) : std::nullopt;
}

std::optional<double> parse_number(std::string_view text) {
  const auto scanned = scan<double>(text);
  return scanned.whole(text) && std::isfinite(scanned.value) ? std::optional(scanned.value) : std::nullopt;
}

}  // namespace orrery::cli
