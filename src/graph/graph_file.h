// Graphs saved and restored: sections of a section file, beside which the owner of the file puts its own. See
// docs/formats/graph.md.
#pragma once

#include "base/io/section_file.h"
#include "base/result.h"
#include "graph/graph.h"

namespace orrery::graph {

/// Adds the sections of `graph`, whose names all begin with 'g'. The graph must live until the file is written.
void add_graph_sections(SectionWriter& writer, const Graph& graph);

/// Checks everything a sweep relies on before it is used: sizes, rows that never decrease, sources before their targets
/// (so no cycle), permutations that are ones, times in range. Whatever the file holds, the outcome is a sound Graph or
/// an Error with the byte position.
Result<Graph> read_graph_sections(const SectionFile& file);

}  // namespace orrery::graph
