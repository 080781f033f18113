#include "report/style.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "base/team/launcher.h"

namespace orrery::report {
namespace {

std::string_view escape_of(Tone tone) {
  switch (tone) {
    case Tone::plain: return "";
    case Tone::strong: return "\x1b[1m";
    case Tone::faint: return "\x1b[2m";
    case Tone::good: return "\x1b[32m";
    case Tone::warning: return "\x1b[33m";
    case Tone::bad: return "\x1b[31m";
  }
  return "";
}

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

std::string Style::paint(Tone tone, std::string_view text) const {
  if (!colour_ || tone == Tone::plain || text.empty()) return std::string(text);
  return std::string(escape_of(tone)) + std::string(text) + "\x1b[0m";
}

bool terminal_has_colour(int fd) {
  return is_terminal(fd) && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

std::size_t terminal_columns(int fd, std::size_t fallback) {
  winsize size{};
  if (!is_terminal(fd) || ::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return fallback;
  return size.ws_col;
}

}  // namespace orrery::report
