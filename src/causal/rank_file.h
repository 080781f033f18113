// A step's graph saved and restored, so that questions can be asked later without the trace. See docs/formats/step.md.
#pragma once

#include <string>

#include "base/io/section_file.h"
#include "base/result.h"
#include "causal/rank_graph.h"

namespace orrery::causal {

/// The same step gives the same bytes. Written aside and renamed into place.
Status save_rank_graph(const RankGraph& step, const std::string& path);

/// Refuses a foreign, newer, truncated or damaged file, and one whose parts do not fit together, with the byte
/// position.
Result<RankGraph> load_rank_graph(const std::string& path);

/// The same from memory; `name` stands for the path in errors.
Result<RankGraph> load_rank_graph_from_bytes(std::string_view bytes, const std::string& name);

/// The sections of a step, for files that have others beside them. The step must live until the file is written. What
/// only reduced graphs have, and what refers to a trace, is for the owner of the file to add.
void add_step_sections(SectionWriter& writer, const RankGraph& step);
enum class StepContent : std::uint8_t {
  whole,
  reduced
};  ///< edges of kind `several`, whose tags are no owners, are in reduced graphs only
Result<RankGraph> read_step_sections(const SectionFile& file, StepContent content);

}  // namespace orrery::causal
