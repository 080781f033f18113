// The file of groups that lies beside a workload.
#pragma once

#include <string>

#include "base/diagnostics.h"
#include "base/result.h"
#include "workload/workload.h"

namespace orrery::job {

/// PREFIX.groups.json, which lies beside the ranks that `link`, `convert` and `generate` write, is read if it is there (J101).
Status read_groups_beside(const std::string& prefix, workload::Workload& workload, Diagnostics& diagnostics);

}  // namespace orrery::job
