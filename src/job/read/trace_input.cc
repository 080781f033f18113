#include "job/read/trace_input.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "job/pairs/host_files.h"
#include "job/pairs/host_workload.h"
#include "job/pairs/unlinked.h"
#include "job/read/counters_input.h"
#include "job/read/registry.h"
#include "job/read/rules_input.h"
#include "job/read/shared_reading.h"
#include "job/read/workload_input.h"
#include "job/write/workload_trace.h"
#include "simulate/replay.h"
#include "workload/resolve_roles.h"

// Of traces only the file of one rank is read where one is asked for and the beginnings of the files tell their ranks.
// Linked traces are taken apart again, and programs are replayed; what has no times is handed on as a workload if the
// caller can use it.

namespace orrery::job {

std::optional<std::string> probes_beside(const trace::Trace& job) {
  std::set<std::string> prefixes;
  for (const trace::RankTrace& rank : job.ranks) {
    if (rank.source.format != "mpitrace") return std::nullopt;
    const std::string ending = "." + std::to_string(rank.rank) + ".mpitrace";
    const std::size_t at = rank.source.path.rfind(ending);  // ".gz" may follow
    if (at == std::string::npos) return std::nullopt;
    prefixes.insert(rank.source.path.substr(0, at));
  }
  if (prefixes.size() != 1) return std::nullopt;
  std::string path = *prefixes.begin() + ".probes.jsonl";
  std::error_code none;
  return std::filesystem::is_regular_file(path, none) ? std::optional(std::move(path)) : std::nullopt;
}

namespace {

using formats::Content;

/// The file of the rank that is wanted, told by the beginnings and names of all; nothing if they do not tell.
std::optional<std::size_t> find_rank(const Source& source, const TraceRequest& request) {
  std::vector<std::int64_t> numbers;
  for (const std::string& file : source.files) {
    const Result<FileHead> head = read_head(file);
    const std::optional<std::int64_t> number =
        head && source.format->peek_rank != nullptr ? source.format->peek_rank(head->view()) : std::nullopt;
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  // Two files of one rank: which is meant is seen only when both are read.
  if (std::set<std::int64_t>(numbers.begin(), numbers.end()).size() != numbers.size()) return std::nullopt;
  const auto found = request.rank ? std::find(numbers.begin(), numbers.end(), *request.rank)
                                  : std::min_element(numbers.begin(), numbers.end());
  if (found == numbers.end()) return std::nullopt;
  return static_cast<std::size_t>(found - numbers.begin());
}

Status keep_one(const TraceRequest& request, trace::Trace& trace) {
  const std::int64_t wanted = request.rank.value_or(trace.ranks.front().rank);
  std::string known;
  for (const trace::RankTrace& rank : trace.ranks) known += (known.empty() ? "" : ", ") + std::to_string(rank.rank);
  std::size_t kept = 0;  // of two files of one rank the first
  std::erase_if(trace.ranks, [&](const trace::RankTrace& rank) { return rank.rank != wanted || kept++ > 0; });
  if (!trace.ranks.empty()) return {};
  return Error{"there is no rank " + std::to_string(wanted), {}, Error::kNoOffset, "ranks in these files: " + known};
}

Result<trace::Trace> read_files(const Source& source, const std::vector<std::string>& files,
                                const TraceRequest& request, const Reading& reading) {
  return read_traces(*source.format, files, reading.diagnostics,
                     {.salvage = reading.salvage,
                      .positions = request.positions,
                      .far_clocks = request.far_clocks,
                      .operands = request.operands,
                      .launch_arrows = request.launch_arrows,
                      .on_progress = reading.on_progress});
}

Result<TraceInput> read_recorded(const Source& source, const TraceRequest& request, const Reading& reading) {
  TraceInput input;
  input.job_ranks = source.files.size();
  if (request.one_rank && source.files.size() > 1) {
    if (const std::optional<std::size_t> file = find_rank(source, request)) {
      if (const Status told = reading.tell(source.files[*file]); !told) return told.error();
      Result<trace::Trace> one = read_files(source, {source.files[*file]}, request, reading);
      if (!one) return one.error();
      trace::RankTrace& rank = one->ranks.front();
      // One file alone is rank 0 unless it says otherwise in its content.
      if (const Result<FileHead> head = read_head(source.files[*file]))
        rank.rank = source.format->peek_rank(head->view()).value_or(rank.rank);
      input.trace = std::move(*one);
      return input;
    }
  }
  for (const std::string& file : source.files) {
    if (const Status told = reading.tell(file); !told) return told.error();
  }
  Result<trace::Trace> all = read_files(source, source.files, request, reading);
  if (!all) return all.error();
  input.trace = std::move(*all);
  // One file may hold several.
  input.job_ranks = std::max(input.job_ranks, input.trace.ranks.size());
  return input;
}

/// A linked trace is what it was made of. Host traces without times are programs.
Result<TraceInput> read_hosts(const Source& source, const TraceRequest& request, const Reading& reading) {
  for (const std::string& file : source.files) {
    if (const Status told = reading.tell(file); !told) return told.error();
  }
  Result<HostFiles> files = read_host_files(source, reading);
  if (!files) return files.error();
  if (!files->is_linked()) {
    Result<workload::Workload> workload = workload_of_hosts(*files, reading.diagnostics);
    if (!workload) return workload.error();
    if (!request.untimed) return without_times(source.files.front());
    return TraceInput{{}, 0, std::make_shared<const workload::Workload>(std::move(*workload))};
  }
  Result<LinkedJob> job = unlink(std::move(*files), reading.diagnostics);
  if (!job) return job.error();
  take_groups_of_hosts(*job);
  TraceInput input{std::move(job->trace), 0};
  input.job_ranks = input.trace.ranks.size();
  return input;
}

Result<TraceInput> replay_programs(const Source& source, const TraceRequest& request, const Reading& reading) {
  Result<WorkloadInput> programs = read_workload(source, {.keep_roles = request.untimed, .complete = false}, reading);
  if (!programs) return programs.error();
  if (request.untimed && !simulate::has_durations(programs->workload))
    return TraceInput{{}, 0, std::make_shared<const workload::Workload>(std::move(programs->workload))};
  if (!programs->workload.roles.empty()) programs->workload = workload::resolve_roles(programs->workload);
  Result<trace::Trace> trace =
      trace_of(std::move(programs->workload), programs->rank_numbers, source.files, source.format->name);
  if (!trace) return trace.error();
  TraceInput input{std::move(*trace), 0};
  input.job_ranks = input.trace.ranks.size();
  return input;
}

}  // namespace

Result<TraceInput> read_trace(const Source& source, const TraceRequest& request, const Reading& reading) {
  const Content content = source.format->content;
  // Before minutes are spent on reading what they are about.
  auto rules = rules_of(reading);
  if (!rules) return rules.error();
  Result<TraceInput> input = content == Content::trace        ? read_recorded(source, request, reading)
                             : content == Content::host_trace ? read_hosts(source, request, reading)
                                                              : replay_programs(source, request, reading);
  if (!input || input->untimed != nullptr) return input;
  input->trace.rules = std::move(*rules);
  if (request.one_rank) {
    if (const Status kept = keep_one(request, input->trace); !kept) return kept.error();
  }
  if (content == Content::trace) {
    const CounterFiles counters = find_counters(reading.counters, source.files);
    if (const Status told = tell_counters(counters, reading); !told) return told.error();
    if (const Status read = read_counters(counters, input->trace, reading.diagnostics); !read) return read.error();
  }
  if (reading.complete && content == Content::trace) {
    if (const Status completed = reading.complete(input->trace); !completed) return completed.error();
  }
  if (reading.retime && (content == Content::trace || content == Content::host_trace)) {
    if (const Status retimed = reading.retime(input->trace); !retimed) return retimed.error();
  }
  return input;
}

}  // namespace orrery::job
