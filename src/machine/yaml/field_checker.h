// Holds a described value against the ranges of its fields: the visitor behind every reader of a description file.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "machine/yaml/field_kinds.h"
#include "machine/yaml/violation.h"

namespace orrery::machine {

inline constexpr std::size_t kMaxDescribedNameBytes = 200;
inline constexpr std::size_t kMaxDescribedCounts = 20;  // that many factors of 2 make the most devices there can be

/// Visits every field and keeps the first violation.
class FieldChecker {
 public:
  explicit FieldChecker(std::optional<Violation>& found, std::string path = {})
      : found_(found), path_(std::move(path)) {}

  void format(std::string_view, std::string_view) {}
  void text(std::string_view key, const std::string& value) {
    if (value.size() > kMaxDescribedNameBytes)
      return report(key, fmt::format("is longer than {} bytes", kMaxDescribedNameBytes));
    expression(key, value);
  }
  void expression(std::string_view key, const std::string& value) {
    if (value.empty()) return report(key, "must not be empty");
    // Names end up in terminals, JSON and file names.
    const bool control = std::any_of(value.begin(), value.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    if (control || !is_valid_utf8(value)) report(key, "holds a control character or bytes that are not UTF-8");
  }
  void text(std::string_view key, const std::optional<std::string>& value) {
    if (value) text(key, *value);
  }
  void expression(std::string_view key, const std::optional<std::string>& value) {
    if (value) expression(key, *value);
  }
  void texts(std::string_view key, const std::vector<std::string>& values) {
    for (const std::string& value : values) text(key, value);
  }
  void flag(std::string_view, bool) {}
  void flag(std::string_view, const std::optional<bool>&) {}
  void number(std::string_view key, double value, Range range) {
    if (range.holds(value)) return;
    const char* relation = range.low_included ? "at least" : "more than";
    report(key, fmt::format("must be {} {} and at most {}, and is {}", relation, range.low, range.high, value));
  }
  void whole(std::string_view key, double value, Range range) { number(key, value, range); }
  void whole(std::string_view key, double value, Range range, Default<double>) { number(key, value, range); }
  void count(std::string_view key, std::int64_t value, Range range) { number(key, static_cast<double>(value), range); }
  template <typename T>
  void number(std::string_view key, const std::optional<T>& value, Range range) {
    if (value) number(key, *value, range);
  }
  void count(std::string_view key, const std::optional<std::int64_t>& value, Range range) {
    if (value) count(key, *value, range);
  }
  template <typename T>
  void number(std::string_view key, double value, Range range, Default<T>) {
    number(key, value, range);
  }
  template <typename T>
  void count(std::string_view key, std::int64_t value, Range range, Default<T>) {
    count(key, value, range);
  }
  void count(std::string_view key, std::int64_t value, Range range, const Derived& derived) {
    if (!derived.value) return count(key, value, range);
    number(key, *derived.value, range);
    if (*derived.value != static_cast<double>(value))
      report(key, fmt::format("is {}, but the fields above it make {:.0f}", value, *derived.value));
  }
  void counts(std::string_view key, const std::vector<std::int64_t>& values, Range range) {
    if (values.empty() || values.size() > kMaxDescribedCounts)
      return report(key, fmt::format("must have 1 to {} entries, and has {}", kMaxDescribedCounts, values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) count(fmt::format("{}[{}]", key, i), values[i], range);
  }
  /// One that may be left out may be empty.
  void counts(std::string_view key, const std::vector<std::int64_t>& values, Range range,
              const Default<std::vector<std::int64_t>>&) {
    if (!values.empty()) counts(key, values, range);
  }
  template <typename Enumerator>
  void choices(std::string_view, const std::vector<Enumerator>&, std::span<const std::string_view>) {}
  template <typename Enumerator>
  void choice(std::string_view, Enumerator, std::span<const std::string_view>) {}
  template <typename Enumerator>
  void choice(std::string_view, Enumerator, std::span<const std::string_view>, Default<Enumerator>) {}
  void rates(std::string_view key, const PeakTflops& value, Range range) {
    FieldChecker inner(found_, join(key));
    for (std::size_t i = 0; i < value.by_type.size(); ++i) inner.number(kDataTypeNames[i], value.by_type[i], range);
  }
  template <typename T>
  void object(std::string_view key, const T& value) {
    FieldChecker inner(found_, join(key));
    describe(inner, value);
  }
  template <typename T>
  void object(std::string_view key, const std::optional<T>& value) {
    if (value) object(key, *value);
  }
  template <typename T>
  void object(std::string_view key, const T& value, [[maybe_unused]] const Default<T>& usual) {
    // What was left out need not be in range: all 0 may stand for not known.
    if constexpr (std::equality_comparable<T>) {
      if (value == usual.value) return;
    }
    object(key, value);
  }
  template <typename T>
  void list(std::string_view key, const std::vector<T>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      FieldChecker inner(found_, fmt::format("{}[{}]", join(key), i));
      describe(inner, values[i]);
    }
  }
  template <typename T>
  void list(std::string_view key, const std::vector<T>& values, Required) {
    list(key, values);
  }

 private:
  [[nodiscard]] std::string join(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  }
  void report(std::string_view key, std::string message) {
    // The first is the one to mend: later ones often follow from it.
    if (!found_) found_ = Violation{.field = join(key), .message = std::move(message)};
  }

  std::optional<Violation>& found_;
  std::string path_;
};

/// The first field of `value` that is out of its range; none if all are in.
template <typename T>
std::optional<Violation> find_field_violation(const T& value) {
  std::optional<Violation> found;
  FieldChecker checker(found);
  describe(checker, value);
  return found;
}

}  // namespace orrery::machine
