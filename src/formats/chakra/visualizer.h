// The graphs of Chakra's visualizer: every dependency as it is in the file, also on nodes that do not exist.
#pragma once

#include <string>
#include <string_view>

#include "base/io/output_file.h"
#include "base/result.h"

namespace orrery::chakra {

/// What the visualizer hands to Graphviz: records, arrowhead normal for data and tee for control. `schema`: see
/// ReadOptions.
Status visualize_dot(std::string_view bytes, const std::string& path, std::string_view schema, OutputFile& out);

/// What networkx writes of the visualizer's graph: nodes in the order of first mention, an edge given twice once, with
/// its last type.
Status visualize_graphml(std::string_view bytes, const std::string& path, std::string_view schema, OutputFile& out);

/// Everything in one file, one message after the other, without separators: what Chakra's jsonizer writes.
Status jsonize(std::string_view bytes, const std::string& path, std::string_view schema, OutputFile& out);

/// A line per message: see append_node_line().
Status write_json_lines(std::string_view bytes, const std::string& path, std::string_view schema, OutputFile& out);

}  // namespace orrery::chakra
