// A verb that is run within another program (the Python module): what that program has read already, and how it learns
// what came of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ask/opened_trace.h"
#include "cli/frame/message.h"
#include "report/answer.h"

namespace orrery::cli {

struct Hosting {
  std::vector<std::shared_ptr<const ask::OpenedTrace>> opened = {};
  /// Ranks that the caller gives to files, by path, instead of what HTA finds in them.
  std::map<std::string, std::int64_t> ranks = {};
  /// The program takes the answer as it is: nothing is rendered, nothing printed.
  bool takes_answer = false;

  // What came of it.

  std::optional<Failure> failure = {};  ///< why the run ended, if it failed
  std::optional<report::Answer> answer = {};
  std::vector<Remark> remarks = {};
  ask::Provenance provenance = {};
};

}  // namespace orrery::cli
