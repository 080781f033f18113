// What `orrery whatif` was asked, apart from where: edits, factors of a sweep, instances.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyze/whatif/edit_language.h"
#include "ask/graphs/edits.h"
#include "cli/frame/invocation.h"
#include "cli/frame/load.h"

namespace orrery::cli {

using ask::kNothingMatched;
using ask::kNotThere;

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
