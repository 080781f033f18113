#include "cli/frame/console.h"

#include <unistd.h>

#include <cerrno>

#include "report/style.h"

namespace orrery::cli {
namespace {

int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written >= 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR) return errno;
  }
  return 0;
}

}  // namespace

Console system_console() {
  return {.write_out = [](std::string_view bytes) { return write_all(STDOUT_FILENO, bytes); },
          .write_err = [](std::string_view bytes) { write_all(STDERR_FILENO, bytes); },
          .colour_out = report::terminal_has_colour(STDOUT_FILENO),
          .colour_err = report::terminal_has_colour(STDERR_FILENO),
          .columns = report::terminal_columns(STDOUT_FILENO, Console::kDefaultColumns),
          .table_columns = report::terminal_columns(STDOUT_FILENO, Console::kUncut)};
}

}  // namespace orrery::cli
