// A command line that makes no sense: what is wrong, where, and what to write instead.
#pragma once

#include <cstddef>
#include <string>

namespace orrery::cli {

struct UsageError {
  std::string message;
  std::string hint = {};
  std::string shown = {};  ///< the piece of the command line at fault; empty: the message says it all
  std::size_t caret = 0;   ///< byte in `shown` to point at

  /// `shown` and, below it, a caret under the character at fault; empty when there is nothing to show. Ends with a
  /// newline.
  [[nodiscard]] std::string excerpt() const;
};

}  // namespace orrery::cli
