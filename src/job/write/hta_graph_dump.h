// HTA's graph as files, for comparing it with HTA's own.
#pragma once

#include <string>

#include "base/result.h"
#include "causal/hta/critical_path.h"

namespace orrery::job {

/// PREFIX.nodes.csv.gz and PREFIX.edges.csv.gz: every node and edge, in HTA's words and units.
Status dump_graph(const causal::hta::CriticalPath& path, const std::string& prefix);

}  // namespace orrery::job
