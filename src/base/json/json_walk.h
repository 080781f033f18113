// Walking over JSON that lies in memory as a whole: members and elements are handed to the caller where they stand,
// nothing is built.
#pragma once

#include <string_view>

#include "base/json/json_scan.h"

namespace orrery {

/// All positions lie in a text that ends at `end` and is followed by at least 64 readable bytes. What returns a
/// position returns the one after what it passed, or nullptr once the text has made no sense; `fault_at` and `fault`
/// then say where and what.
class JsonWalk {
 public:
  explicit JsonWalk(const char* end) : end_(end) {}

  /// The byte at `p`, 0 at the end.
  [[nodiscard]] char at(const char* p) const { return p < end_ ? *p : '\0'; }
  [[nodiscard]] const char* end() const { return end_; }
  [[nodiscard]] const char* fault_at() const { return fault_at_; }
  [[nodiscard]] const char* fault() const { return fault_; }

  /// Notes what is wrong at `p`; the end of the text is always the reason if it has been reached. Returns nullptr.
  const char* fail(const char* p, const char* message) {
    fault_at_ = p < end_ ? p : end_;
    fault_ = p < end_ ? message : kTextEnds;
    return nullptr;
  }

  /// The first byte from `p` on that is not white space. None, one or a long run (an indented line) are the usual
  /// lengths.
  [[nodiscard]] const char* skip_space(const char* p) const {
    if (static_cast<unsigned char>(*p) > ' ') return p;
    if (*p == ' ' && static_cast<unsigned char>(p[1]) > ' ') return p + 1;
    return skip_long_space(p);
  }

  const char* skip_value(const char* p) {
    if (p >= end_) return fail(p, "");
    const ValueSkip skip = orrery::skip_value(p, end_);
    if (skip.too_deep) return fail(p, "nested deeper than 512 levels");
    if (skip.after == nullptr) return fail(end_, "");
    if (skip.after == p) return fail(p, "expected a value");
    if (*p == '{' || *p == '[') {
      const bool closes_its_own = skip.after[-1] == (*p == '{' ? '}' : ']');
      return closes_its_own ? skip.after : fail(skip.after - 1, "a bracket that closes another kind");
    }
    return skip.after < end_ || *p == '"' ? skip.after : fail(end_, "");
  }

  /// `p` is at {. Calls on_member(key, value): the key as written, without its quotes, and where its value begins; it
  /// returns the position after the value, or nullptr to give up.
  template <typename OnMember>
  const char* each_member(const char* p, OnMember&& on_member) {
    p = skip_space(p + 1);
    if (at(p) == '}') return p + 1;
    while (true) {
      if (at(p) != '"') return fail(p, "expected a key");
      const char* const quote = find_string_end(p + 1, end_).quote;
      if (quote == nullptr) return fail(end_, "");
      const char* value = skip_space(quote + 1);
      if (at(value) != ':') return fail(value, "expected : after a key");
      value = skip_space(value + 1);
      if (value >= end_) return fail(value, "");
      const char* const after = on_member(std::string_view(p + 1, static_cast<std::size_t>(quote - p - 1)), value);
      if (after == nullptr) return nullptr;
      p = skip_space(after);
      if (at(p) == '}') return p + 1;
      if (at(p) != ',') return fail(p, "expected , or } after a value");
      p = skip_space(p + 1);
    }
  }

  /// `p` is at [. Calls on_element(element), which returns the position after it, or nullptr to give up.
  template <typename OnElement>
  const char* each_element(const char* p, OnElement&& on_element) {
    p = skip_space(p + 1);
    if (at(p) == ']') return p + 1;
    while (true) {
      if (p >= end_) return fail(p, "");
      const char* const after = on_element(p);
      if (after == nullptr) return nullptr;
      p = skip_space(after);
      if (at(p) == ']') return p + 1;
      if (at(p) != ',') return fail(p, "expected , or ] after an element");
      p = skip_space(p + 1);
    }
  }

 private:
  static constexpr const char* kTextEnds = "the file ends too early";

  [[nodiscard]] const char* skip_long_space(const char* p) const {
    for (; p < end_; p += 16) {
      const Bytes16 bytes(p);
      const std::uint32_t others =
          ~(bytes.equal(' ') | bytes.equal('\n') | bytes.equal('\r') | bytes.equal('\t')) & 0xFFFFu;
      if (others != 0) return p + std::countr_zero(others);
    }
    return end_;
  }

  const char* end_;
  const char* fault_at_ = nullptr;
  const char* fault_ = nullptr;
};
static_assert(kMaxDepth == 512);

}  // namespace orrery
