// An exectrace and a msgtrace of the ISB-BFS motif as one observed run.
#pragma once

#include <cstdint>

#include "formats/isb_bfs/model_file.h"
#include "motif/fit/observation.h"

namespace orrery::job {

/// Rows of other thread counts than `threads` are left out. Sizes of messages stand under the source of a transition,
/// the k-th for the k-th call after it (the published motif reads them as the source's own): each is given to the site
/// that sent it.
motif::fit::ClassRun observed_run(const isb_bfs::ModelFile& exec, const isb_bfs::ModelFile& msg, std::uint32_t threads);

}  // namespace orrery::job
