// TO GO, with replay's flags: edits from texts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ask/graphs/edits.h"
#include "cli/frame/invocation.h"
#include "cli/frame/load.h"

namespace orrery::cli {

using ask::kNothingMatched;
using ask::kNotThere;

/// One that cannot be understood is pointed at.
inline std::optional<UsageError> parse_edits(std::span<const std::string> texts,
                                             std::vector<analyze::ParsedEdit>& edits) {
  for (const std::string& text : texts) {
    if (const Status taken = ask::parse_edit(text, edits); !taken)
      return UsageError{taken.error().message, taken.error().hint, text, taken.error().offset};
  }
  return std::nullopt;
}

}  // namespace orrery::cli
