// A section file with nothing but a graph: the smallest that its sections can be tried in.
#pragma once

#include <string>
#include <string_view>

#include "base/io/section_file.h"
#include "graph/graph_file.h"

namespace orrery::graph::testing {

inline constexpr std::string_view kGraphFormat = "graph";
inline constexpr std::uint32_t kGraphVersion = 1;

inline Status save_graph(const Graph& graph, const std::string& path) {
  SectionWriter writer(kGraphFormat, kGraphVersion);
  add_graph_sections(writer, graph);
  return writer.write(path);
}

inline Result<Graph> load_graph(const std::string& path) {
  const auto file = SectionFile::open(path, kGraphFormat, kGraphVersion);
  if (!file) return file.error();
  return read_graph_sections(*file);
}

inline Result<Graph> load_graph_from_bytes(std::string_view bytes, const std::string& name = "graph") {
  const auto file = SectionFile::from_bytes(bytes, name, kGraphFormat, kGraphVersion);
  if (!file) return file.error();
  return read_graph_sections(*file);
}

}  // namespace orrery::graph::testing
