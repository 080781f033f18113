// A program as a Graphviz drawing.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "workload/workload.h"

namespace orrery::dot {

/// One rank into a file, compressed if its name ends in ".gz". A box per activity with its name, what it is and how
/// long it takes; the device's boxes are filled. Data dependencies are solid arrows, control dashed, starts dotted.
/// Nodes in ascending order of ids.
Status write_rank(const workload::Workload& workload, std::size_t rank, const std::string& path);

}  // namespace orrery::dot
