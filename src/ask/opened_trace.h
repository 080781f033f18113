// A job whose files were read once, for any number of questions: what a program that asks many keeps open.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ask/provenance.h"
#include "base/diagnostics.h"
#include "base/result.h"
#include "job/read/source.h"
#include "trace/trace.h"

namespace orrery::ask {

/// Not changed by questions.
struct OpenedTrace {
  std::vector<std::string> named;  ///< what was given: files, folders, globs
  std::string operand;             ///< one word for all of them, where a job is named by one
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

}  // namespace orrery::ask
