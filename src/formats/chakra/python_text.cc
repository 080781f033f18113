#include "formats/chakra/python_text.h"

#include <algorithm>

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>

#include "base/json/json_members.h"
#include "base/json/json_scan.h"
#include "base/json/json_unescape.h"
#include "base/json/json_writer.h"
#include "base/numbers.h"
#include "base/utf8.h"
#include "formats/chakra/unicode_printable.h"

namespace orrery::chakra {
namespace {

// The code point of a well-formed sequence of two to four bytes.
std::uint32_t decode_utf8(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(sequence[i])); };
  std::uint32_t code = byte(0) & (0x7Fu >> sequence.size());
  for (std::size_t i = 1; i < sequence.size(); ++i) code = code << 6 | (byte(i) & 0x3F);
  return code;
}

void append_escape(std::string& out, std::uint32_t code) {
  if (code < 0x100) fmt::format_to(std::back_inserter(out), "\\x{:02x}", code);
  else if (code < 0x10000) fmt::format_to(std::back_inserter(out), "\\u{:04x}", code);
  else fmt::format_to(std::back_inserter(out), "\\U{:08x}", code);
}

// repr() of a string: in single quotes unless only these occur inside.
void append_repr(std::string& out, std::string_view text) {
  // repr() prefers single quotes, and double ones only if that saves escapes.
  const bool in_double_quotes = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
  const char quote = in_double_quotes ? '"' : '\'';
  out += quote;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::size_t length = static_cast<unsigned char>(c) < 0x80 ? 1 : utf8_sequence_length(text.substr(i));
    const std::string_view sequence = text.substr(i, length == 0 ? 1 : length);
    i += sequence.size();
    if (c == '\\' || c == quote) (out += '\\') += c;
    else if (c == '\n') out += "\\n";
    else if (c == '\r') out += "\\r";
    else if (c == '\t') out += "\\t";
    else if (length == 0) append_escape(out, static_cast<unsigned char>(c));
    else if (const std::uint32_t code = length == 1 ? static_cast<unsigned char>(c) : decode_utf8(sequence);
             is_printable(code))
      out += sequence;
    else append_escape(out, code);
  }
  out += quote;
}

// `text` as JSON writes it, without its quotes.
void append_string(std::string& out, std::string_view text, bool escaped) {
  // What was escaped in JSON may need another escape in Python, or none.
  if (escaped) return append_repr(out, unescape_json(text));
  for (const char c : text) {
    if (c < 0x20 || c == 0x7f || c == '\'') return append_repr(out, text);  // bytes above ASCII are negative
  }
  ((out += '\'') += text) += '\'';
}

void append_float(std::string& out, std::string_view text) {
  const std::optional<double> in_range = leading_number<double>(text);
  // Out of range: strtod gives infinity or zero as Python's float() does.
  const double value = in_range ? *in_range : std::strtod(std::string(text).c_str(), nullptr);
  if (!std::isfinite(value)) {
    out += value < 0 ? "-inf" : "inf";
    return;
  }
  const std::size_t begin = out.size();
  fmt::format_to(std::back_inserter(out), "{}",
                 value);  // shortest, with an exponent below 1e-4 and from 1e16 on, as Python's
  // Python shows that it is a float.
  if (out.find_first_of(".e", begin) == std::string::npos) out += ".0";
}

void append_number(std::string& out, std::string_view text) {
  if (text.find_first_of(".eE") != std::string_view::npos) append_float(out, text);
  // An int in Python, which has no negative zero.
  else if (text == "-0") out += '0';
  else out += text;
}

void append_word(std::string& out, std::string_view word) {
  if (word == "true") out += "True";
  else if (word == "false") out += "False";
  else if (word == "null") out += "None";
  else if (word == "NaN") out += "nan";
  else if (word == "Infinity") out += "inf";
  else if (word == "-Infinity") out += "-inf";
  else out += word;
}

const char* append_scalar(std::string& out, const char* p, const char* end) {
  const char* after = p;
  while (is_number_char(*after)) ++after;  // what follows the text ends the loop
  const bool is_number = after != p && !(after == p + 1 && *p == '-') && starts_number(*p);
  if (!is_number) {
    while ((*after >= 'a' && *after <= 'z') || (*after >= 'A' && *after <= 'Z')) ++after;
  }
  if (after > end) after = end;
  if (after == p) return p + 1;  // no JSON: passed over
  const std::string_view text(p, static_cast<std::size_t>(after - p));
  if (is_number) append_number(out, text);
  else append_word(out, text);
  return after;
}

}  // namespace

void append_python_str(std::string& out, std::string_view json) {
  const char* p = json.data();
  const char* const end = p + json.size();
  // str() of a text is the text; only inside of lists is it repr().
  if (json.starts_with('"')) {
    out += unescape_json(json.substr(1, json.size() - 2));
    return;
  }
  while (p < end) {
    switch (*p) {
      case '[':
      case ']':
      case '{':
      case '}': out += *p++; break;
      case ',': out += ", ", ++p; break;
      case ':': out += ": ", ++p; break;
      case ' ':
      case '\n':
      case '\r':
      case '\t': ++p; break;
      case '"': {
        const auto [quote, escaped] = find_string_end(p + 1, end);
        if (quote == nullptr) return;
        append_string(out, {p + 1, static_cast<std::size_t>(quote - p - 1)}, escaped);
        p = quote + 1;
        break;
      }
      default: p = append_scalar(out, p, end);
    }
  }
}

bool append_json_of_python(std::string& out, std::string_view python) {
  std::size_t i = 0;
  while (i < python.size()) {
    const char c = python[i];
    if (c == ' ') {
      ++i;
    } else if (c == '[' || c == ']' || c == ',') {
      out += c;
      ++i;
    } else if (c == '\'' || c == '"') {
      std::string text;
      for (++i; i < python.size() && python[i] != c; ++i) {
        if (python[i] == '\\' && i + 1 < python.size())
          ++i;  // Python writes quotes and backslashes so; other escapes are of no recorder
        text += python[i];
      }
      if (i == python.size()) return false;
      ++i;
      append_json_string(out, text);
    } else {
      const std::size_t end = std::min(python.find_first_of(" ,]", i), python.size());
      const std::string_view word = python.substr(i, end - i);
      if (word == "True") out += "true";
      else if (word == "False") out += "false";
      else if (word == "None") out += "null";
      else if (word == "inf" || word == "-inf" || word == "nan") append_json_string(out, word);
      else if (is_json_scalar(word)) out += word;
      else return false;
      i = end;
    }
  }
  return true;
}

}  // namespace orrery::chakra
