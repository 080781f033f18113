#include "formats/goal/scanner.h"

#include <algorithm>

namespace orrery::goal {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

}  // namespace

void Scanner::skip_block_comment() {
  const std::size_t end = text_.find("*/", next_ + 2);
  // Told by the parser, with the place where the comment began.
  if (end == std::string_view::npos) open_comment_ = next_;
  const std::size_t stop = end == std::string_view::npos ? text_.size() : end + 2;
  // Lines inside a comment count, so that errors name the line an editor shows.
  const auto lines = std::count(text_.begin() + next_, text_.begin() + stop, '\n');
  line_ += static_cast<std::uint64_t>(lines);
  on_new_line_ |= lines > 0;
  next_ = stop;
}

void Scanner::skip_blanks() {
  while (next_ < text_.size()) {
    const char c = text_[next_];
    if (c == '\n') {
      ++line_;
      on_new_line_ = true;
      ++next_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++next_;
    } else if (c == '/' && text_.substr(next_).starts_with("//")) {
      next_ = std::min(text_.find('\n', next_), text_.size());
    } else if (c == '/' && text_.substr(next_).starts_with("/*")) {
      skip_block_comment();
    } else {
      return;
    }
  }
  on_new_line_ = true;
}

void Scanner::advance() {
  on_new_line_ = token_.empty();
  skip_blanks();
  std::size_t end = next_;
  while (end < text_.size() && is_word(text_[end])) ++end;
  if (end == next_ && end < text_.size()) ++end;  // a sign, or a character that fits nowhere: the parser says so
  token_ = text_.substr(next_, end - next_);
  next_ = end;
}

}  // namespace orrery::goal
