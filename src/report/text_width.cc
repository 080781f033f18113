#include "report/text_width.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/utf8.h"

namespace orrery::report {
namespace {

struct Range {
  unsigned first;
  unsigned last;
};

// The blocks that matter in names; not the whole of Unicode's EastAsianWidth table.
constexpr std::array kWide = {Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},  Range{0x3041, 0x33FF},
                              Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},  Range{0xA000, 0xA4CF},
                              Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},  Range{0xFE30, 0xFE6F},
                              Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},  Range{0x1F300, 0x1F64F},
                              Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD}};
constexpr std::array kZero = {Range{0x0300, 0x036F}, Range{0x200B, 0x200F}, Range{0x20D0, 0x20FF},
                              Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}};

template <std::size_t N>
bool contains(const std::array<Range, N>& ranges, unsigned point) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [point](Range range) { return point >= range.first && point <= range.last; });
}

std::size_t width_of(unsigned point) {
  // Below it there are no combining and no wide characters.
  if (point < 0x300) return 1;
  if (contains(kZero, point)) return 0;
  return contains(kWide, point) ? 2 : 1;
}

struct Character {
  std::size_t bytes;
  std::size_t columns;
};

// The first character of text that is not empty; a byte that is not UTF-8 counts as one column.
Character first_character(std::string_view text) {
  const std::size_t length = std::max<std::size_t>(1, utf8_sequence_length(text));
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
  if (length == 1) return {1, 1};
  unsigned point = byte(0) & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) point = point << 6 | (byte(i) & 0x3Fu);
  return {length, width_of(point)};
}

std::vector<Character> characters(std::string_view text) {
  std::vector<Character> result;
  for (std::size_t i = 0; i < text.size(); i += result.back().bytes) result.push_back(first_character(text.substr(i)));
  return result;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  for (const Character character : characters(text)) columns += character.columns;
  return columns;
}

std::string printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    const std::size_t length = utf8_sequence_length(rest);
    const auto byte = static_cast<unsigned char>(rest[0]);
    const bool c1_control = length == 2 && byte == 0xC2 && static_cast<unsigned char>(rest[1]) < 0xA0;
    if (length == 0) clean += kUtf8Replacement;
    else if (byte < 0x20 || byte == 0x7F || c1_control) clean += ' ';
    else clean += rest.substr(0, length);
    i += std::max<std::size_t>(1, length);
  }
  return clean;
}

std::string truncate_middle(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  const std::vector<Character> all = characters(text);
  const std::size_t kept = columns - 1;  // one column is for the ellipsis
  // The odd column goes to the front, which tells more of a name.
  const std::size_t wanted_front = kept - kept / 2;
  std::size_t front_bytes = 0, front_columns = 0;
  for (std::size_t i = 0; i < all.size() && front_columns + all[i].columns <= wanted_front; ++i) {
    front_bytes += all[i].bytes;
    front_columns += all[i].columns;
  }
  std::size_t back_bytes = 0, back_columns = 0;
  for (std::size_t i = all.size(); i-- > 0 && front_columns + back_columns + all[i].columns <= kept;) {
    back_bytes += all[i].bytes;
    back_columns += all[i].columns;
  }
  return std::string(text.substr(0, front_bytes)) + "…" + std::string(text.substr(text.size() - back_bytes));
}

std::string pad_right(std::string_view text, std::size_t columns) {
  const std::size_t width = display_width(text);
  return std::string(text) + std::string(columns > width ? columns - width : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t columns) {
  const std::size_t width = display_width(text);
  return std::string(columns > width ? columns - width : 0, ' ') + std::string(text);
}

std::string wrap(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string out;
  std::size_t used = 0;      // columns of the current line; 0: at the start of a line
  std::size_t newlines = 0;  // since the last word
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == ' ' || text[i] == '\n') {
      newlines += text[i++] == '\n' ? 1 : 0;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" \n", i), text.size());
    const std::string_view word = text.substr(i, end - i);
    const std::size_t width = display_width(word);
    // An empty line between words is a new paragraph; single line ends are blanks.
    const bool new_paragraph = newlines >= 2 && !out.empty();
    if (used > 0 && (new_paragraph || used + 1 + width > columns)) {
      out += new_paragraph ? "\n\n" : "\n";
      used = 0;
    }
    out += used == 0 ? std::string(indent, ' ') : " ";
    used = (used == 0 ? indent : used + 1) + width;
    out += word;
    newlines = 0;
    i = end;
  }
  return out.empty() ? out : out + "\n";
}

}  // namespace orrery::report
