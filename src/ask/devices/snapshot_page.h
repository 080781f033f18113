// The page of a memory snapshot.
#pragma once

#include <optional>
#include <string>

#include "ask/context.h"

namespace orrery::ask {

struct SnapshotPageRequest {
  std::string file;
  std::optional<std::string> against = {};  ///< an earlier snapshot: the page says what changed since
  std::string title, command;               ///< of the page
  std::string output;
};

/// Writes the page, and says what is on it.
Result<report::Answer> write_snapshot_page(Context& context, const SnapshotPageRequest& request);

}  // namespace orrery::ask
