#include "base/json/python_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/json/json_unescape.h"
#include "base/numbers.h"

namespace orrery {
namespace {

constexpr std::size_t kIndent = 4;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// The code point that `text` begins with, which is taken off; U+FFFD for a byte that begins none.
char32_t take_code_point(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned lead = byte(0);
  const std::size_t size = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  char32_t point = lead < 0x80 ? lead : lead & (0xffu >> (size + 1));
  bool fits = lead < 0x80 || (lead >= 0xc2 && lead < 0xf5);
  for (std::size_t i = 1; i < size && fits; ++i) {
    fits = (byte(i) & 0xc0) == 0x80;
    point = point << 6 | (byte(i) & 0x3f);
  }
  // Python would have refused the text when it was read; here one bad byte costs one character.
  text.remove_prefix(fits ? size : 1);
  return fits && point <= 0x10ffff ? point : 0xfffd;
}

/// A number, true, false or null.
void append_scalar(std::string& out, std::string_view text) {
  const bool is_real =
      text.find_first_of(".eE") != std::string_view::npos && text.find_first_of("0123456789") != std::string_view::npos;
  if (!is_real) {
    // Whole numbers have any size in Python, and no negative zero.
    out += text == "-0" ? "0" : text;
    return;
  }
  if (const auto value = leading_number<double>(text)) return static_cast<void>(out += python_number(*value));
  // Beyond a double: Python's float() has infinity there, and 0 at the other end.
  const bool is_small = text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos;
  if (text.starts_with('-')) out += '-';
  out += is_small ? "0.0" : "Infinity";
}

}  // namespace

std::string python_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

void append_python_text(std::string& out, std::string_view text) {
  const auto to = std::back_inserter(out);
  out += '"';
  while (!text.empty()) {
    const char32_t point = take_code_point(text);
    switch (point) {
      case '"': out += "\\\""; continue;
      case '\\': out += "\\\\"; continue;
      case '\n': out += "\\n"; continue;
      case '\r': out += "\\r"; continue;
      case '\t': out += "\\t"; continue;
      case '\f': out += "\\f"; continue;
      case '\b': out += "\\b"; continue;
      default: break;
    }
    // All that is not ASCII is escaped, in halves beyond 16 bits.
    if (point >= 0x20 && point < 0x7f) out += static_cast<char>(point);
    else if (point < 0x10000) fmt::format_to(to, "\\u{:04x}", static_cast<std::uint32_t>(point));
    else
      fmt::format_to(to, "\\u{:04x}\\u{:04x}", 0xd800 + (static_cast<std::uint32_t>(point) - 0x10000) / 0x400,
                     0xdc00 + (static_cast<std::uint32_t>(point) - 0x10000) % 0x400);
  }
  out += '"';
}

void append_python_json(std::string& out, std::string_view json, std::size_t depth) {
  const auto new_line = [&] { (out += '\n').append(depth * kIndent, ' '); };
  std::size_t at = 0;
  const auto skip_space = [&](std::size_t from) {
    while (from < json.size() && is_space(json[from])) ++from;
    return from;
  };
  for (at = skip_space(at); at < json.size(); at = skip_space(at)) {
    const char c = json[at];
    if (c == '{' || c == '[') {
      out += c;
      const std::size_t next = skip_space(at + 1);
      if (next < json.size() &&
          json[next] == c + 2) {  // the bracket that closes it: nothing in between, and no new line
        out += json[next];
        at = next + 1;
        continue;
      }
      ++depth;
      new_line();
      ++at;
    } else if (c == '}' || c == ']') {
      depth -= depth > 0 ? 1 : 0;
      new_line();
      out += c;
      ++at;
    } else if (c == ',') {
      out += c;
      new_line();
      ++at;
    } else if (c == ':') {
      out += ": ";
      ++at;
    } else if (c == '"') {
      std::size_t end = at + 1;
      bool is_plain = true;
      for (; end < json.size() && json[end] != '"'; ++end) {
        is_plain = is_plain && json[end] >= ' ' && json[end] < 0x7f && json[end] != '\\';
        if (json[end] == '\\') ++end;
      }
      const std::string_view text = json.substr(at + 1, std::min(end, json.size()) - at - 1);
      if (is_plain) ((out += '"') += text) += '"';
      else append_python_text(out, unescape_json(text));
      at = end + 1;
    } else {
      std::size_t end = at;
      while (end < json.size() && !is_space(json[end]) &&
             std::string_view(",:]}").find(json[end]) == std::string_view::npos)
        ++end;
      append_scalar(out, json.substr(at, end - at));
      at = end;
    }
  }
}

}  // namespace orrery
