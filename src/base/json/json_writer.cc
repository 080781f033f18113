#include "base/json/json_writer.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

#include "base/utf8.h"

namespace orrery {
namespace {

/// By byte: whether it stands for itself in a JSON string.
constexpr std::array<bool, 256> kIsPlain = [] {
  std::array<bool, 256> is_plain{};
  // Bytes from 0x80 on may be broken UTF-8, and are looked at one by one.
  for (std::size_t byte = 0x20; byte < 0x80; ++byte) is_plain[byte] = byte != '"' && byte != '\\';
  return is_plain;
}();

std::size_t count_plain(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && kIsPlain[static_cast<unsigned char>(text[i])]) ++i;
  return i;
}

template <typename Integer>
void append_integer(std::string& out, Integer number) {
  // Twenty digits and a sign at most.
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t clean = 0;  // start of the run not yet copied
  // Most texts are plain: they are copied at once, and only what stops the run is looked at.
  for (std::size_t i = count_plain(text); i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x80) {
      // Names come out of files in any encoding; what is written must be JSON that every parser takes.
      const std::size_t length = utf8_sequence_length(text.substr(i));
      // A whole character stays as it is.
      if (length != 0) {
        i += length;
        continue;
      }
    } else if (byte >= 0x20 && byte != '"' && byte != '\\') {
      ++i;
      continue;
    }
    out.append(text, clean, i - clean);
    if (byte >= 0x80) out += kUtf8Replacement;
    else if (byte == '"') out += "\\\"";
    else if (byte == '\\') out += "\\\\";
    else if (byte == '\n') out += "\\n";
    else if (byte == '\t') out += "\\t";
    else if (byte == '\r') out += "\\r";
    else fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    clean = ++i;
  }
  out.append(text, clean, text.size() - clean);
  out += '"';
}

void JsonWriter::separate() {
  if (needs_comma_) out_ += ',';
  needs_comma_ = true;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_ += bracket;
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  // Keys are nearly always plain, and are written without a search.
  if (count_plain(name) == name.size()) {
    out_.append(needs_comma_ ? ",\"" : "\"").append(name).append("\":", 2);
  } else {
    separate();
    append_json_string(out_, name);
    out_ += ':';
  }
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_json_string(out_, text);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  separate();
  // The shortest digits that give the same double back. JSON has no word for infinity.
  if (!std::isfinite(number)) {
    out_ += "null";
    return *this;
  }
  char digits[40];  // 17 of them at most, with sign, point and exponent
  out_.append(digits, fmt::format_to(digits, FMT_COMPILE("{}"), number));
  return *this;
}

JsonWriter& JsonWriter::value(bool flag) {
  separate();
  out_ += flag ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::signed_value(std::int64_t number) {
  separate();
  append_integer(out_, number);
  return *this;
}

JsonWriter& JsonWriter::unsigned_value(std::uint64_t number) {
  separate();
  append_integer(out_, number);
  return *this;
}

JsonWriter& JsonWriter::null() { return raw("null"); }

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

}  // namespace orrery
