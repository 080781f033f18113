// The graph of one rank or of several saved and restored, so that questions can be asked later without the traces. See
// docs/formats/step.md.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "causal/causal_graph.h"

namespace orrery::causal {

/// Not of reduced graphs. The same graph gives the same bytes. Written aside and renamed into place.
Status save_causal_graph(const CausalGraph& job, const std::string& path);

/// Refuses a foreign, newer, truncated or damaged file, and one whose parts do not fit together, with the byte
/// position. Reads files of version 1, too, which hold one rank.
Result<CausalGraph> load_causal_graph(const std::string& path);

/// The same from memory; `name` stands for the path in errors.
Result<CausalGraph> load_causal_graph_from_bytes(std::string_view bytes, const std::string& name);

}  // namespace orrery::causal
