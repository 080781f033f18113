#include "cli/workloads/mpi_replay_inputs.h"

#include "cli/frame/load.h"
#include "cli/workloads/motif_run.h"
#include "job/read/workload_input.h"
#include "workload/source.h"

namespace orrery::cli {

Result<workload::Workload> load_mpi_replay(Invocation& invocation, std::size_t processes) {
  const std::vector<std::string>& named = invocation.operands();
  if (named.size() == 1 && is_motif(named.front())) {
    const auto source = open_motif(invocation, named.front(), static_cast<std::uint32_t>(processes));
    if (!source) return source.error();
    return workload::collect(**source);
  }
  const Result<job::Source> source = job::find_source(named, {}, invocation.diagnostics());
  if (!source) return source.error();
  Progress progress = invocation.progress("reading", total_bytes(source->all_files()));
  const job::Reading reading = reading_of(invocation, progress);
  auto made = job::open_workload(*source, reading);
  if (!made) return made.error();
  if (*made != nullptr) return workload::collect(**made);
  job::WorkloadRequest request;
  request.groups_file = invocation.text("comm-group");
  request.keep_roles = true;
  Result<job::WorkloadInput> input = job::read_workload(*source, request, reading);
  if (!input) return input.error();
  return std::move(input->workload);
}

}  // namespace orrery::cli
