// Where output goes and what may be done there. Real streams in the program, strings in tests.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace orrery::cli {

struct Console {
  static constexpr std::size_t kDefaultColumns = 120;  ///< of text when output is not a terminal: the same everywhere
  static constexpr std::size_t kUncut = ~std::size_t{0};  ///< of tables then: a file or a pipe gets all of every name

  /// Writes all of it and returns 0, or the errno of what went wrong.
  std::function<int(std::string_view)> write_out;
  std::function<void(std::string_view)> write_err;
  bool colour_out = false;  ///< stdout is a terminal that shows colours, and the environment does not forbid them
  bool colour_err = false;
  std::size_t columns = kDefaultColumns;  ///< width of text that is written to stdout
  std::size_t table_columns = kUncut;     ///< width that tables are cut to
};

/// stdout and stderr of this process.
Console system_console();

}  // namespace orrery::cli
