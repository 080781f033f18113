#include "cli/workloads/replay_inputs.h"

#include "cli/frame/load.h"

namespace orrery::cli {

Result<job::WorkloadInput> load_replay(Invocation& invocation) {
  const bool alone = invocation.has("alone") || invocation.has("rank");
  const auto advise = [&](Error error) {
    if (error.remedy == Remedy::all_ranks) error.hint = "--alone replays every rank on its own";
    return error;
  };
  Result<job::Source> source =
      job::find_source(invocation.operands(), {.may_miss_ranks = alone}, invocation.diagnostics());
  if (!source) return advise(source.error());
  if (invocation.has("rank")) {
    if (const Status kept = job::keep_rank(static_cast<std::size_t>(invocation.integer("rank")), *source); !kept)
      return kept.error();
  }
  job::WorkloadRequest request;
  request.groups_file = invocation.text("comm-group");
  // One file is one rank that was asked for, whatever the job was; of several none may be missing, or its partners
  // would wait for ever.
  request.complete = !alone && source->files.size() > 1;
  Progress progress = invocation.progress("reading", total_bytes(source->all_files()));
  Result<job::WorkloadInput> input = job::read_workload(*source, request, reading_of(invocation, progress));
  if (!input) return advise(input.error());
  return input;
}

}  // namespace orrery::cli
