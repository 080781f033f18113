// A job as operation lists, and the folder that torchrun runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "job/linked_job.h"
#include "replay/torch/operation_builder.h"
#include "replay/torch/operation_list.h"

namespace orrery::replay::torch {

struct EmittedJob {
  std::vector<OperationList> ranks;  ///< by rank
  std::int64_t world_size = 1;
  std::vector<std::vector<std::int64_t>> groups;  ///< the members of each
  std::vector<std::string> sources;               ///< names of files, without folders
  std::vector<std::string> remarks;               ///< sentences: what was replaced or left out
  std::uint64_t host_bytes = 0;                   ///< of the host traces, inflated
};

/// Sources of ranks to operation lists, in parallel; the same for any number of threads. `arguments` are of each source's host trace.
EmittedJob emit_ranks(std::vector<RankSource> sources, const std::vector<trace::HostArguments>& arguments, const EmitOptions& options);

/// From pairs that were read (job/linked_job.h). An Error says why nothing can be emitted.
Result<EmittedJob> emit_pairs(job::LinkedJob& read, const EmitOptions& options, Diagnostics& diagnostics);

struct WrittenFolder {
  std::uint64_t list_bytes = 0;
};
/// Writes replay.py, job.json and a list per rank into `folder`, which is made. All files appear, or none does.
Result<WrittenFolder> write_folder(const EmittedJob& job, const std::string& folder);

}  // namespace orrery::replay::torch
