// What reading a job needs from whoever asks for it, and tells them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "trace/trace.h"

namespace orrery::job {

struct Reading {
  Diagnostics& diagnostics;
  bool salvage = false;  ///< a damaged trace is read up to the damage
  /// Numbers that the caller gives to files, by path, instead of what HTA finds in their text (job/read/hta_input.h).
  std::map<std::string, std::int64_t> ranks = {};
  /// Users' files of rules, by which names are read before the shipped ones (job/read/rules_input.h).
  std::vector<std::string> rules = {};
  /// Tables of GPU counters; none: those beside the traces (job/read/counters_input.h).
  std::vector<std::string> counters = {};
  /// Told every file, the host traces and groups included, before it is read.
  std::function<Status(const std::string& path)> on_input = {};
  std::function<void(std::uint64_t bytes)> on_progress = {};  ///< called from any thread

  /// Adds what other recordings know of it, before anything looks at it and before `retime`; none: nothing.
  std::function<Status(trace::Trace&)> complete = {};
  /// Puts what was recorded to other times, before anything looks at it; none: as recorded. Not called for programs.
  std::function<Status(trace::Trace&)> retime = {};

  [[nodiscard]] Status tell(const std::string& path) const { return on_input ? on_input(path) : Status(); }
};

}  // namespace orrery::job
