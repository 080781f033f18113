// What the languages of edits have in common: words, numbers and durations, and pointing at what cannot be understood.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "analyze/whatif/edit_language.h"
#include "base/numbers.h"

namespace orrery::analyze {

/// Reads one edit from its begin to its end. Whatever reads a part is false where that is not there, and has said why.
class EditScanner {
 protected:
  explicit EditScanner(const std::string& text) : text_(text) {}

  bool fail(std::size_t position, std::string message, std::string hint = {}) {
    error_ = {std::move(message), position, std::move(hint)};
    return false;
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  [[nodiscard]] bool is_at(char c) const { return at_ < text_.size() && text_[at_] == c; }

  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  std::string_view word() {
    skip_blanks();
    const std::size_t start = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    return std::string_view(text_).substr(start, at_ - start);
  }

  bool natural(std::int64_t& out) {
    if (at_ >= text_.size() || !is_digit(text_[at_])) return fail(at_, "expected a whole number", "like 0-3,7");
    const auto found = scan_number<std::int64_t>(std::string_view(text_).substr(at_));
    if (!found.is_number()) return fail(at_, "expected a whole number", "like 0-3,7");
    at_ += found.used;
    out = found.value;
    return true;
  }

  bool number(double& out) {
    skip_blanks();
    const auto found = scan_number<double>(std::string_view(text_).substr(at_));
    if (!found.is_number() || !std::isfinite(found.value)) return fail(at_, "expected a number");
    if (found.value < 0) return fail(at_, "a negative number makes no sense here");
    at_ += found.used;
    out = found.value;
    return true;
  }

  bool duration(TimePs& out) {
    double value = 0;
    if (!number(value)) return false;
    skip_blanks();
    const std::size_t start = at_;
    const std::string_view unit = word();
    if (value == 0 && (unit == "restart" || unit == "from")) {  // fails at 0 restart 3s
      at_ = start;
      out = 0;
      return true;
    }
    const double scale = unit == "ns" ? 1e3 : unit == "us" ? 1e6 : unit == "ms" ? 1e9 : unit == "s" ? 1e12 : 0;
    // Nothing is nothing in any unit; anything else without one is a guess.
    if (scale == 0 && !(unit.empty() && value == 0)) return fail(start, "expected a unit", "ns, us, ms or s");
    if (value * scale > static_cast<double>(graph::kMaxWeightPs)) return fail(start, "this duration is too long");
    out = static_cast<TimePs>(std::llround(value * scale));
    return true;
  }

  bool at_end() {
    skip_blanks();
    return at_ == text_.size() || fail(at_, "nothing may follow the action");
  }

  const std::string& text_;
  std::size_t at_ = 0;
  EditError error_;
};

}  // namespace orrery::analyze
