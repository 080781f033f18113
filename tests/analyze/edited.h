// A graph with edits as they are typed, for tests.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "analyze/whatif/whatif.h"

namespace orrery::analyze::testing {

inline GraphEdits edits_of(const causal::CausalGraph& job, const std::vector<std::string>& texts) {
  std::vector<ParsedEdit> edits;
  for (const std::string& text : texts) {
    edits.push_back(parse_edit(text));
    REQUIRE_FALSE(std::holds_alternative<EditError>(edits.back()));
  }
  return {job, std::move(edits)};
}

/// What the job then takes.
inline TimePs length_after(const causal::CausalGraph& job, const std::vector<std::string>& texts) {
  return what_if(edits_of(job, texts), 0).after.length;
}

}  // namespace orrery::analyze::testing
