// A trace again, with a path drawn over it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "causal/hta/critical_path.h"
#include "formats/kineto/overlay_writer.h"

namespace orrery::job {

// HTA's graph as files, for comparing it with HTA's own.

/// PREFIX.nodes.csv.gz and PREFIX.edges.csv.gz: every node and edge, in HTA's words and units.
Status dump_graph(const causal::hta::CriticalPath& path, const std::string& prefix);

/// The file `source` again at `path`, with the overlay. An Error if `source` is of a format that is not written so.
Status write_overlay_of(const std::string& source, const kineto::Overlay& overlay, const std::string& path);

/// The files of several ranks again, under their own names in `folder`, which is made. All have different names, or it
/// is an Error.
Status write_overlays_of(const std::vector<std::string>& sources, const std::vector<kineto::Overlay>& overlays,
                         const std::string& folder);

}  // namespace orrery::job
