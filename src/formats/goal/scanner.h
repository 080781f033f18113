// Tokens of GOAL text: words (letters, digits, '_', '-') and the signs ':', '{' and '}'. Comments are `// ...` and `/*
// ... */`.
#pragma once

#include <cstdint>
#include <string_view>

namespace orrery::goal {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) { advance(); }

  /// The token that comes next; empty at the end of the text.
  [[nodiscard]] std::string_view token() const { return token_; }
  /// Whether token() stands on a later line than the one taken last (or is the end): statements end with their line.
  [[nodiscard]] bool on_new_line() const { return on_new_line_; }
  [[nodiscard]] std::uint64_t line() const { return line_; }  ///< of token(), counted from 1
  [[nodiscard]] std::uint64_t offset() const { return static_cast<std::uint64_t>(token_.data() - text_.data()); }
  /// Where a comment begins that never ends; npos if all do.
  [[nodiscard]] std::size_t open_comment() const { return open_comment_; }

  std::string_view take() {
    const std::string_view taken = token_;
    advance();
    return taken;
  }

 private:
  void advance();
  void skip_blanks();
  void skip_block_comment();

  std::string_view text_;
  std::string_view token_;
  std::size_t next_ = 0;  // behind token_
  std::uint64_t line_ = 1;
  std::size_t open_comment_ = std::string_view::npos;
  bool on_new_line_ = true;
};

}  // namespace orrery::goal
