// The columns by which a trace brings along what its events depend on, beside those that every analysis knows: whoever
// reads tables of operations writes them, and whoever makes a graph of a rank goes by them instead of by times.
#pragma once

#include <string_view>

#include "trace/trace.h"

namespace orrery::match {

/// Text "[12, 15]": events of the same rank that must have ended. Events that need none have no value.
inline constexpr std::string_view kNeedsColumn = "needs";
/// When the event began and ended in the job executed from what depends on what (match/operations/executed_job.h), ps.
inline constexpr std::string_view kExecutedStartColumn = "executed_start_ps", kExecutedEndColumn = "executed_end_ps";
/// Number of the step that it is a part of.
inline constexpr std::string_view kOfStepColumn = "of_step";

/// Null: the rank has no such column.
inline const trace::SparseColumn* find_named(const trace::RankTrace& rank, std::string_view name) {
  for (const trace::NamedArgument& argument : rank.arguments.named()) {
    if (argument.name == name) return &argument.values;
  }
  return nullptr;
}

}  // namespace orrery::match
