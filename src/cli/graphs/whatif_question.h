// What `orrery whatif` was asked, apart from where: edits, factors of a sweep, instances.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyze/whatif/edit_language.h"
#include "base/diagnostics.h"
#include "cli/frame/invocation.h"
#include "cli/frame/load.h"

namespace orrery::cli {

// What is said of edits that change nothing, or not all that they name.

inline constexpr DiagnosticKind kNothingMatched{"W401", Severity::error, "an edit selects nothing in this step",
                                                "see the names with: orrery path"};
inline constexpr DiagnosticKind kNotThere{"W405", Severity::error, "an edit names a rank or step that is not there",
                                          "the others were changed; which there are: orrery info"};

struct Question {
  Instances instances;
  std::vector<analyze::ParsedEdit> edits;
  std::vector<double> factors;  ///< of --sweep
};

/// One that cannot be understood is pointed at.
std::optional<UsageError> parse_edits(std::span<const std::string> texts, std::vector<analyze::ParsedEdit>& edits);

/// `traces`: how many operands come before the edits.
std::optional<UsageError> parse_question(const Invocation& invocation, std::size_t traces, Question& question);

}  // namespace orrery::cli
