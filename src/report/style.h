// Colour, where it helps and is wanted: at a terminal, unless the caller, NO_COLOR or TERM=dumb say otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace orrery::report {

enum class Tone : std::uint8_t { plain, strong, faint, good, warning, bad };

/// How to dress text for one output. The default dresses nothing, so that what goes to a file or a test is plain.
class Style {
 public:
  Style() = default;
  explicit Style(bool colour) : colour_(colour) {}

  [[nodiscard]] bool colour() const { return colour_; }
  /// `text` in the escape sequences of `tone`, or as it is. Measure the width before painting.
  [[nodiscard]] std::string paint(Tone tone, std::string_view text) const;

 private:
  bool colour_ = false;
};

/// Whether output to file descriptor `fd` should be coloured: it is a terminal, NO_COLOR is not set (to anything but
/// the empty text) and TERM is not "dumb".
bool terminal_has_colour(int fd);

/// Columns of the terminal behind `fd`; `fallback` when it is not a terminal or does not say.
std::size_t terminal_columns(int fd, std::size_t fallback);

}  // namespace orrery::report
