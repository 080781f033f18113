// What the program says on stderr: errors and counted remarks, in one form for all verbs.
//
//     orrery: error: trace.json.gz: byte 1024: the gzip file is truncated
//       hint: copy the file again
//     orrery: warning: K104: event has a negative duration; the first: trace.json: byte 77 (12 times); hint: the
//     duration was taken as 0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ask/context.h"
#include "base/result.h"
#include "cli/frame/verb.h"
#include "report/style.h"

namespace orrery::cli {

// A command line that makes no sense: what is wrong, where, and what to write instead.

struct UsageError {
  std::string message;
  std::string hint = {};
  std::string shown = {};  ///< the piece of the command line at fault; empty: the message says it all
  std::size_t caret = 0;   ///< byte in `shown` to point at

  /// `shown` and, below it, a caret under the character at fault; empty when there is nothing to show. Ends with a
  /// newline.
  [[nodiscard]] std::string excerpt() const;
};

using ask::Remark;
using ask::remarks_of;

/// Why a run ended: what stderr and the envelope say about it.
struct Failure {
  ExitCode code = ExitCode::internal;
  std::string message;
  std::string excerpt;  ///< see UsageError
  std::string hint;
  std::string file = {};  ///< and its byte position, if that is what went wrong; the message says both, too
  std::optional<std::uint64_t> offset = {};

  static Failure from(const Error& error);
  static Failure from(const UsageError& error);
};

/// Lines for stderr, without effects on a terminal but those of `style`.
std::string format_failure(const Failure& failure, const report::Style& style);
std::string format_remark(const Remark& remark, const report::Style& style);

/// The failure as an entry of the envelope's diagnostics. Its code is E00n, where n is the exit status.
Remark remark_of(const Failure& failure);

}  // namespace orrery::cli
