// Graphs saved and restored: sections of a section file, beside which other code may put its own. See docs/formats/graph.md.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/section_file.h"
#include "graph/graph.h"

namespace orrery::graph {

/// Adds the sections of `graph`, whose names all begin with 'g'. The graph must live until the file is written.
void add_graph_sections(SectionWriter& writer, const Graph& graph);

/// Checks everything a sweep relies on before it is used: sizes, rows that never decrease, sources before their targets (so no cycle),
/// permutations that are ones, times in range. Whatever the file holds, the outcome is a sound Graph or an Error with the byte position.
Result<Graph> read_graph_sections(const SectionFile& file);

/// A file of format "graph" with nothing but the graph. The same graph gives the same bytes.
Status save_graph(const Graph& graph, const std::string& path);
Result<Graph> load_graph(const std::string& path);
/// Bytes in memory, which may be released afterwards. `name` stands for the path in errors.
Result<Graph> load_graph_from_bytes(std::string_view bytes, const std::string& name = "graph");

inline constexpr std::string_view kGraphFormat = "graph";
inline constexpr std::uint32_t kGraphVersion = 1;

}  // namespace orrery::graph
