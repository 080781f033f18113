// A job as operation lists, and the folder that torchrun runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "job/pairs/linked_job.h"
#include "replay/torch/build/operation_list.h"
#include "replay/torch/edits/edit_outcomes.h"
#include "replay/torch/source/captured_program.h"
#include "replay/torch/source/rank_source.h"
#include "replay/torch/write/emit_options.h"
#include "workload/workload.h"

namespace orrery::replay::torch {

/// A damaged file may speak of any number.
inline constexpr std::int64_t kMostRanks = std::int64_t{1} << 20;

struct EmittedJob {
  std::vector<OperationList> ranks;  ///< by rank
  std::int64_t world_size = 1;
  std::vector<std::vector<std::int64_t>> groups;  ///< the members of each
  std::vector<std::string> sources;               ///< names of files, without folders
  std::vector<std::string> remarks;               ///< sentences: what was replaced or left out
  std::vector<EditOutcome> edits;                 ///< what became of each that was asked for
  std::uint64_t host_bytes = 0;                   ///< of the host traces, inflated
};

/// Holds edited ranks against one another, and says what became of the edits. An Error if those who communicate were
/// not edited alike.
Status settle_edits(const EmitOptions& options, EmittedJob& job);

/// Sources of ranks to operation lists, in parallel; the same for any number of threads. `arguments` are of each
/// source's host trace. An Error if sizes are to be scaled and something cannot follow, or an edit cannot be carried
/// out.
Result<EmittedJob> emit_ranks(std::vector<RankSource> sources, const std::vector<trace::HostArguments>& arguments,
                              const EmitOptions& options);

/// From pairs that were read (job/pairs/linked_job.h). What graphs launched is called as `captures` say that it was
/// captured; both were read with operands then. An Error says why nothing can be emitted.
Result<EmittedJob> emit_pairs(job::LinkedJob& read, Captures& captures, const EmitOptions& options,
                              Diagnostics& diagnostics);

/// From linked traces, or host traces alone, one per rank. The numbers of the ranks are those in the names of the
/// files, else their places.
Result<EmittedJob> emit_linked(const std::vector<std::string>& files, const EmitOptions& options,
                               Diagnostics& diagnostics);

/// From programs: those of Chakra files that were made from host and profiler traces (rank_files has one per rank of
/// `workload`) are called again; of others, device work becomes work of the recorded duration, and communication is
/// real.
Result<EmittedJob> emit_programs(const workload::Workload& workload, const std::vector<std::string>& rank_files,
                                 const std::vector<std::size_t>& rank_numbers, const EmitOptions& options);

struct WrittenFolder {
  std::uint64_t list_bytes = 0;
};
/// Writes replay.py, job.json and a list per rank into `folder`, which is made. All files appear, or none does.
Result<WrittenFolder> write_folder(const EmittedJob& job, const std::string& folder);

}  // namespace orrery::replay::torch
