#include "job/read/workload_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <string>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/astra/config.h"
#include "formats/chakra/rank_files.h"
#include "job/job_clocks.h"
#include "job/pairs/host_files.h"
#include "job/pairs/host_workload.h"
#include "job/pairs/unlinked.h"
#include "workload/resolve_roles.h"
#include "workload/workload.h"

// By what was recorded: traces are linked, host traces unlinked and linked again or taken as programs without times,
// programs read as they are. Then ranks are numbered, missing ones refused where a whole job is asked for, and groups
// taken from a file.

namespace orrery::job {

// The file of groups that lies beside a workload.

/// PREFIX.groups.json, which lies beside the ranks that `link`, `convert` and `generate` write, is read if it is there
/// (J101).
Status read_groups_beside(const std::string& prefix, workload::Workload& workload, Diagnostics& diagnostics);

namespace {

namespace fs = std::filesystem;

constexpr DiagnosticKind kGroupsBeside{"J101", Severity::note,
                                       "the members of groups were read from the file beside the workload",
                                       "name another file of groups to use that instead"};

}  // namespace

Status read_groups_beside(const std::string& prefix, workload::Workload& workload, Diagnostics& diagnostics) {
  const std::string path = prefix + ".groups.json";
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return {};
  if (Status read = astra::read_groups(path, workload); !read) return read;
  diagnostics.add(kGroupsBeside, [&] { return path; });
  return {};
}

namespace {

using formats::Content;

WorkloadInput input_of(LinkedJob job) {
  WorkloadInput input;
  input.job = std::move(job);
  input.workload = std::move(input.job.workload);
  for (const causal::LinkedRank& rank : input.job.ranks)
    input.rank_numbers.push_back(static_cast<std::size_t>(std::max<std::int64_t>(0, rank.rank)));
  return input;
}

LinkJobOptions link_options(const WorkloadRequest& request, const Reading& reading) {
  LinkJobOptions options;
  options.salvage = reading.salvage;
  options.link.whole_microseconds = request.whole_microseconds;
  options.on_progress = reading.on_progress;
  options.retime = reading.retime;
  return options;
}

Result<WorkloadInput> link_traces(const Source& source, const WorkloadRequest& request, const Reading& reading) {
  LinkJobOptions options = link_options(request, reading);
  options.format = source.format;
  Result<LinkedJob> job = link_job(source.pairs, options, reading.diagnostics);
  if (!job) return job.error();
  return input_of(std::move(*job));
}

/// Linked traces are what they were made of; host traces alone are programs without times.
Result<WorkloadInput> read_hosts(const Source& source, const WorkloadRequest& request, const Reading& reading) {
  Result<HostFiles> files = read_host_files(source, reading);
  if (!files) return files.error();
  if (files->is_linked()) {
    Result<LinkedJob> job = unlink(std::move(*files), reading.diagnostics);
    if (!job) return job.error();
    if (const Status joined = refuse_runs(job->trace); !joined) return joined.error();
    LinkJobOptions options = link_options(request, reading);
    options.link.least_coverage_percent = 0;  // the two are of one run, however little of it was found
    Result<LinkedJob> linked = link_read(std::move(*job), options, reading.diagnostics);
    if (!linked) return linked.error();
    return input_of(std::move(*linked));
  }
  WorkloadInput input;
  input.rank_numbers = std::move(files->rank_numbers);
  // Beside host traces without times those that are linked are taken for what they were before.
  Result<workload::Workload> workload = workload_of_hosts(*files, reading.diagnostics);
  if (!workload) return workload.error();
  input.workload = std::move(*workload);
  input.hosts = std::move(files->traces);
  return input;
}

Result<WorkloadInput> read_programs(const Source& source, const WorkloadRequest& request, const Reading& reading) {
  if (source.format->read_workload == nullptr)
    return Error{fmt::format("{} does not say what the job did", source.format->title), source.files.front()};
  Result<workload::Workload> workload =
      source.format->read_workload(source.files, {.schema = request.schema,
                                                  .ranks = request.ranks,
                                                  .passes = request.passes,
                                                  .diagnostics = &reading.diagnostics,
                                                  .micros_only = request.micros_only});
  if (!workload) return workload.error();
  WorkloadInput input;
  input.workload =
      workload->roles.empty() || request.keep_roles ? std::move(*workload) : workload::resolve_roles(*workload);
  if (source.format->content != Content::rank_program) return input;
  const Result<std::vector<chakra::RankFile>> ranks = chakra::number_files(source.files);
  if (!ranks) return ranks.error();
  for (const chakra::RankFile& rank : *ranks) input.rank_numbers.push_back(rank.rank);
  return input;
}

/// Traces are numbered by what they say themselves, which is known only now.
Status check_complete(const Source& source, const WorkloadInput& input) {
  std::vector<chakra::RankFile> files;
  for (const std::size_t rank : input.rank_numbers) files.push_back({rank, source.files.front()});
  if (Status complete = chakra::check_complete(files, 0); !complete && source.format->content == Content::trace)
    return complete;
  return chakra::check_recorded_ranks(input.workload, source.prefix.empty() ? source.files.front() : source.prefix);
}

Status take_groups(const Source& source, const WorkloadRequest& request, const Reading& reading,
                   workload::Workload& workload) {
  if (request.groups_file.empty()) {
    // Of one rank alone the members of its groups are not there to be named.
    const bool is_job = source.is_prefix || source.files.size() > 1;
    if (source.prefix.empty() || !is_job || workload.recorded_ranks > workload.rank_count()) return {};
    return read_groups_beside(source.prefix, workload, reading.diagnostics);
  }
  if (Status told = reading.tell(request.groups_file); !told) return told;
  return astra::read_groups(request.groups_file, workload);
}

}  // namespace

Result<std::unique_ptr<workload::WorkloadSource>> open_workload(const Source& source, const Reading& reading) {
  if (source.format->open_workload == nullptr) return std::unique_ptr<workload::WorkloadSource>();
  Result<std::unique_ptr<workload::WorkloadSource>> opened = source.format->open_workload(source.files);
  if (!opened || *opened == nullptr) return opened;
  for (const std::string& file : source.all_files()) {
    if (const Status told = reading.tell(file); !told) return told.error();
  }
  return opened;
}

Result<WorkloadInput> read_workload(const Source& source, const WorkloadRequest& request, const Reading& reading) {
  for (const std::string& file : source.all_files()) {
    if (const Status told = reading.tell(file); !told) return told.error();
  }
  const Content content = source.format->content;
  Result<WorkloadInput> input = content == Content::trace        ? link_traces(source, request, reading)
                                : content == Content::host_trace ? read_hosts(source, request, reading)
                                                                 : read_programs(source, request, reading);
  if (!input) return input;
  if (input->rank_numbers.empty()) {
    input->rank_numbers.resize(input->workload.rank_count());
    std::iota(input->rank_numbers.begin(), input->rank_numbers.end(), std::size_t{0});
  }
  if (Status complete = request.complete ? check_complete(source, *input) : Status(); !complete)
    return complete.error();
  if (Status taken = take_groups(source, request, reading, input->workload); !taken) return taken.error();
  return input;
}

}  // namespace orrery::job
