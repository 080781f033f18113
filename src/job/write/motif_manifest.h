// Runs to learn a motif from, as a manifest lists them: comma-separated, a line per run with its files and its
// parameters.
//
//     exec,msg,nodes,size,threads            ISB-BFS traces of one rank
//     dir,nodes,size,threads                 folders of A-mpiP traces of all ranks
//
// Paths are relative to the manifest, if they do not exist as they stand.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "motif/fit/fit_motif.h"

namespace orrery::job {

struct MotifRuns {
  motif::fit::Observations observations = {};
  std::vector<std::string> files = {};  ///< that were read, without the manifest
};

Result<MotifRuns> read_motif_manifest(const std::string& path, Diagnostics& diagnostics);

}  // namespace orrery::job
