#include "report/html_writer.h"

#include <fmt/format.h>

#include <iterator>

#include "base/utf8.h"

namespace orrery::report {
namespace {

/// U+202A..U+202E and U+2066..U+2069, as UTF-8; 0 for everything else.
unsigned direction_mark(std::string_view sequence) {
  if (sequence.size() != 3 || sequence[0] != '\xE2') return 0;
  const auto second = static_cast<unsigned char>(sequence[1]), third = static_cast<unsigned char>(sequence[2]);
  const unsigned code = 0x2000U | ((second & 0x3FU) << 6U) | (third & 0x3FU);
  return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ? code : 0;
}

bool is_forbidden_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7F;
}

}  // namespace

void append_html_text(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    const char c = text.front();
    if (length == 0 || (length == 1 && is_forbidden_control(c))) out += kUtf8Replacement;
    else if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else if (c == '\'') out += "&#39;";
    else if (const unsigned mark = direction_mark(text.substr(0, length)))
      fmt::format_to(std::back_inserter(out), "U+{:04X}", mark);
    else out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

std::string html_text(std::string_view text) {
  std::string out;
  append_html_text(out, text);
  return out;
}

HtmlWriter& HtmlWriter::open(std::string_view tag, std::span<const HtmlAttribute> attributes) {
  out_ += '<';
  out_ += tag;
  for (const HtmlAttribute& attribute : attributes) {
    out_ += ' ';
    out_ += attribute.name;
    out_ += "=\"";
    append_html_text(out_, attribute.value);
    out_ += '"';
  }
  out_ += '>';
  return *this;
}

HtmlWriter& HtmlWriter::close(std::string_view tag) {
  out_ += "</";
  out_ += tag;
  out_ += '>';
  return *this;
}

HtmlWriter& HtmlWriter::text(std::string_view text) {
  append_html_text(out_, text);
  return *this;
}

HtmlWriter& HtmlWriter::element(std::string_view tag, Attributes attributes, std::string_view content) {
  return open(tag, attributes).text(content).close(tag);
}

HtmlWriter& HtmlWriter::raw(std::string_view html) {
  out_ += html;
  return *this;
}

}  // namespace orrery::report
