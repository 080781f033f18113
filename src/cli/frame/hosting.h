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

namespace orrery::cli {

struct Hosting {
  std::vector<std::shared_ptr<const ask::OpenedTrace>> opened = {};
  /// Ranks that the caller gives to files, by path, instead of what HTA finds in them.
  std::map<std::string, std::int64_t> ranks = {};
  /// Why the run ended, if it failed.
  std::optional<Failure> failure = {};
};

}  // namespace orrery::cli
