// The graph of one rank as sections of a file: of a rank that waits to be joined (reduce/reduced_rank.h), and of saved
// files of version 1 (causal_graph_file.h). See docs/formats/step.md.
#pragma once

#include "base/io/section_file.h"
#include "base/result.h"
#include "causal/rank_graph.h"

namespace orrery::causal {

/// The step must live until the file is written. What only reduced graphs have, and what refers to a trace, is for the
/// owner of the file to add. The same step gives the same bytes.
void add_step_sections(SectionWriter& writer, const RankGraph& step);
/// Nothing in a file lies further from the epoch of its trace, or from the begin of its window: differences fit.
inline constexpr TimePs kTimeLimit = TimePs{1} << 62;

enum class StepContent : std::uint8_t {
  whole,
  reduced
};  ///< edges of kind `several`, whose tags are no owners, are in reduced graphs only
/// An Error with the byte position if they do not fit together.
Result<RankGraph> read_step_sections(const SectionFile& file, StepContent content);

}  // namespace orrery::causal
