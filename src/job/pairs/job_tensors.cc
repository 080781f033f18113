#include "job/pairs/job_tensors.h"

#include <algorithm>
#include <optional>

#include "base/parallel.h"
#include "causal/host/host_match.h"
#include "causal/host/operator_index.h"
#include "formats/pytorch_et/arguments.h"
#include "job/pairs/linked_job.h"

namespace orrery::job {
namespace {

Result<causal::RankTensors> tensors_of(const LinkedJob& job, std::size_t r) {
  const trace::RankTrace& rank = job.trace.ranks[r];
  const causal::HostMatch match = causal::match_host(rank, job.hosts[r], job.trace.strings);
  const Status same_run =
      causal::check_same_run(match.coverage, rank, job.hosts[r], causal::LinkOptions{}.least_coverage_percent);
  if (!same_run) return same_run.error();
  return causal::find_tensor_reads(rank, match, causal::make_operator_index(job.trace, rank),
                                   pytorch_et::read_arguments(job.hosts[r], job.trace.strings));
}

}  // namespace

bool has_host_traces(const Source& source) {
  return !source.pairs.empty() && std::none_of(source.pairs.begin(), source.pairs.end(),
                                               [](const TracePair& pair) { return pair.host.empty(); });
}

Result<std::vector<causal::RankTensors>> read_job_tensors(const Source& source, const Reading& reading) {
  for (const TracePair& pair : source.pairs) {
    if (const Status told = reading.tell(pair.host); !told) return told.error();
  }
  LinkJobOptions options;
  options.salvage = reading.salvage;
  options.format = source.format;
  // What there is to remark about the profiler traces was remarked when they were read for the job's graph.
  Diagnostics remarks;
  const Result<LinkedJob> job = read_pairs(source.pairs, options, remarks);
  if (!job) return job.error();
  std::vector<std::optional<Result<causal::RankTensors>>> found(job->trace.ranks.size());
  parallel_for(found.size(), [&](std::size_t r) { found[r] = tensors_of(*job, r); });
  std::vector<causal::RankTensors> tensors;
  for (auto& of_rank : found) {
    if (!*of_rank) return of_rank->error();
    tensors.push_back(std::move(**of_rank));
  }
  return tensors;
}

}  // namespace orrery::job
