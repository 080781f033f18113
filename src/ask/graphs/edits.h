// Edits of a what-if, in its language, and what is said of those that change nothing.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analyze/whatif/edit_language.h"
#include "ask/context.h"
#include "base/diagnostics.h"
#include "base/result.h"

namespace orrery::ask {

inline constexpr DiagnosticKind kNothingMatched{"W401", Severity::error, "an edit selects nothing in this step",
                                                "see the names with: orrery path"};
inline constexpr DiagnosticKind kNotThere{"W405", Severity::error, "an edit names a rank or step that is not there",
                                          "the others were changed; which there are: orrery info"};

/// Adds one. The Error of one that cannot be understood points into the text (offset).
inline Status parse_edit(std::string_view text, std::vector<analyze::ParsedEdit>& edits) {
  analyze::ParsedEdit parsed = analyze::parse_edit(std::string(text));
  if (const auto* problem = std::get_if<analyze::EditError>(&parsed)) {
    Error error = misuse(problem->message, problem->hint);
    error.offset = problem->position;
    return error;
  }
  edits.push_back(std::move(parsed));
  return {};
}

}  // namespace orrery::ask
