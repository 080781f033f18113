// A program as GraphML, which Gephi, yEd, networkx and others read.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "workload/workload.h"

namespace orrery::graphml {

/// One rank into a file, compressed if its name ends in ".gz". Nodes have label, kind, device, duration_us, and where
/// given start_us (since the first of all ranks), bytes, collective and group; edges have dependency: data, control or
/// start.
Status write_rank(const workload::Workload& workload, std::size_t rank, const std::string& path);

}  // namespace orrery::graphml
