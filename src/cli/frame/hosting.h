// A verb that is run within another program (the Python module): what that program has read already, and how it learns
// what went wrong.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "cli/frame/message.h"
#include "cli/frame/provenance.h"
#include "job/read/source.h"
#include "trace/trace.h"

namespace orrery::cli {

/// A job whose files were read once, for any number of verbs. Not changed by them.
struct OpenedTrace {
  std::vector<std::string> named;  ///< what was given: files, folders, globs
  std::string operand;             ///< one word for all of them, for verbs that take a job as one operand
  job::Source source;
  trace::Trace trace;
  Diagnostics diagnostics;          ///< of finding and reading
  std::vector<InputRecord> inputs;  ///< the files as they were then
  bool salvage = false;
  /// Ranks that were asked for alone, by number; none: the lowest. See open_rank.
  mutable std::map<std::optional<std::int64_t>, std::shared_ptr<const OpenedTrace>> alone;
};

/// Finds and reads all ranks.
Result<std::shared_ptr<const OpenedTrace>> open_trace(const std::vector<std::string>& named, bool salvage);
/// One of its ranks. Alone, its times count from an epoch of its own, and with them those of every answer: the file is
/// read a second time, and kept. Not from two threads at once.
Result<std::shared_ptr<const OpenedTrace>> open_rank(const OpenedTrace& opened, std::optional<std::int64_t> rank);

struct Hosting {
  std::vector<std::shared_ptr<const OpenedTrace>> opened = {};
  /// Ranks that the caller gives to files, by path, instead of what HTA finds in them.
  std::map<std::string, std::int64_t> ranks = {};
  /// Why the run ended, if it failed.
  std::optional<Failure> failure = {};

  /// What was opened from exactly these; null: nothing.
  [[nodiscard]] std::shared_ptr<const OpenedTrace> find(const std::vector<std::string>& named) const;
};

}  // namespace orrery::cli
