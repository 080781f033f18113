// The one JSON writer: the --json envelope, overlays and dumps all go through it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace orrery {

/// Appends compact JSON to a string. Commas are placed by the writer; nesting and key/value alternation are the
/// caller's duty. Numbers are exact: integers as they are, doubles in the shortest form that reads back to the same
/// bits, NaN and infinities as null. Text that is not valid UTF-8 is written with U+FFFD in place of each bad byte, so
/// that the output is always valid JSON.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);
  JsonWriter& value(bool flag);
  template <typename Integer>
    requires(std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>)
  JsonWriter& value(Integer number) {
    if constexpr (std::is_signed_v<Integer>) return signed_value(number);
    else return unsigned_value(number);
  }
  JsonWriter& null();
  /// Text that is JSON already.
  JsonWriter& raw(std::string_view json);

  /// key(name) and value(v) in one call.
  template <typename T>
  JsonWriter& field(std::string_view name, const T& v) {
    key(name);
    return value(v);
  }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& signed_value(std::int64_t number);
  JsonWriter& unsigned_value(std::uint64_t number);
  void separate();

  std::string& out_;
  bool needs_comma_ = false;
};

/// Appends `text` as a JSON string with its quotes.
void append_json_string(std::string& out, std::string_view text);

}  // namespace orrery
