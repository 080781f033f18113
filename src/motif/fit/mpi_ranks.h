// The ranks of a recorded MPI job as a fit takes them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "motif/fit/observation.h"
#include "motif/fit/site_table.h"
#include "trace/trace.h"

namespace orrery::motif::fit {

/// Ranks without an MPI call, and a number of ranks other than nodes times ranks per node, are an Error. `name` is what messages call the run.
Result<std::vector<RankRun>> mpi_ranks(const trace::Trace& trace, const RunParameters& run, const std::string& name, SiteTable& sites);

}  // namespace orrery::motif::fit
