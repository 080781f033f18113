#include "job/pairs/linked_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/parallel.h"
#include "causal/diagnostics.h"
#include "causal/host/host_match.h"
#include "causal/host/operator_index.h"
#include "causal/program/mpi_program.h"
#include "formats/kineto/format.h"
#include "formats/pytorch_et/arguments.h"
#include "formats/pytorch_et/reader.h"
#include "job/job_clocks.h"
#include "job/read/shared_reading.h"
#include "match/diagnostics.h"
#include "match/host_work_finder.h"
#include "match/mpi/mpi_sources.h"

// Host and profiler traces are read at once and put side by side by rank. What needs all ranks (groups, work of the
// host, calls of MPI) is found before; then each rank is linked by itself, with its own texts, and the programs are
// joined in the order of ranks.

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

namespace {

struct HostReading {
  Interner strings;
  Diagnostics diagnostics;
  std::optional<Result<trace::HostTrace>> trace;
};

Result<trace::Trace> read_devices(const std::vector<TracePair>& pairs, const LinkJobOptions& options,
                                  Diagnostics& diagnostics) {
  std::vector<std::string> paths;
  paths.reserve(pairs.size());
  for (const TracePair& pair : pairs) paths.push_back(pair.device);
  const formats::Format& format = options.format == nullptr ? kineto::kFormat : *options.format;
  return read_traces(format, paths, diagnostics,
                     {.salvage = options.salvage,
                      .record_functions = true,
                      .operands = options.operands,
                      .on_progress = options.on_progress});
}

void read_hosts(const std::vector<TracePair>& pairs, std::vector<HostReading>& readings) {
  parallel_for(pairs.size(), [&](std::size_t i) {
    if (!pairs[i].host.empty())
      readings[i].trace = pytorch_et::read_host_trace(pairs[i].host, readings[i].strings, readings[i].diagnostics);
  });
}

Status choose_rank(const LinkJobOptions& options, trace::Trace& trace) {
  if (!options.rank) return {};
  if (trace.ranks.size() == 1) {
    // Whoever names the rank of a single trace knows better than its file.
    trace.ranks.front().rank = *options.rank;
    return {};
  }
  std::string known;
  for (const trace::RankTrace& rank : trace.ranks) known += (known.empty() ? "" : ", ") + std::to_string(rank.rank);
  std::erase_if(trace.ranks, [&](const trace::RankTrace& rank) { return rank.rank != *options.rank; });
  if (!trace.ranks.empty()) return {};
  return Error{
      "there is no rank " + std::to_string(*options.rank), {}, Error::kNoOffset, "ranks in these files: " + known};
}

std::vector<workload::CommGroup> listed_groups(const trace::RankTrace& rank, Interner& strings) {
  std::vector<workload::CommGroup> groups;
  for (const trace::ProcessGroup& group : rank.source.groups) {
    workload::CommGroup& listed = groups.emplace_back(workload::CommGroup{strings.intern(group.name), {}});
    for (const std::int64_t member : group.ranks) listed.ranks.push_back(static_cast<std::uint32_t>(member));
  }
  return groups;
}

/// What is found out about all ranks together before each is linked.
struct JobFindings {
  match::HostWorks works;
  std::vector<match::MpiCalls> mpi;  // of an MPI job
  causal::MpiJobFacts mpi_facts;

  explicit JobFindings(const trace::Trace& trace)
      : works(match::find_host_works(trace, match::ProcessGroups(trace))),
        mpi(std::any_of(trace.ranks.begin(), trace.ranks.end(), match::is_mpi_rank) ? match::find_mpi_calls(trace)
                                                                                    : std::vector<match::MpiCalls>()),
        mpi_facts(trace, mpi) {}
};

Result<causal::LinkedRank> link_one(const LinkedJob& job, std::size_t r, std::vector<workload::CommGroup> groups,
                                    const JobFindings& findings, const LinkJobOptions& options, Interner& strings,
                                    Diagnostics& diagnostics) {
  if (match::is_mpi_rank(job.trace.ranks[r]))
    return causal::link_mpi_rank(job.trace, job.trace.ranks[r], findings.mpi[r], findings.mpi_facts, strings,
                                 options.link, diagnostics);
  const match::HostWorks& works = findings.works;
  causal::LinkOptions link = options.link;
  link.groups = std::move(groups);
  if (!works.ranks.empty()) link.host_work = works.ranks[r];
  const bool has_host = job.hosts[r].size() > 0;
  trace::HostArguments arguments;
  if (has_host) {
    arguments = pytorch_et::read_arguments(job.hosts[r], job.trace.strings);
    link.arguments = &arguments;
  }
  return causal::link_rank(job.trace, job.trace.ranks[r], has_host ? &job.hosts[r] : nullptr, strings, link,
                           diagnostics);
}

// The name of a group in the workload. One that another rank uses for other members gets a name that says which: "tp
// [2, 3]".
StringId name_of_group(const workload::CommGroup& group, workload::Workload& workload, Diagnostics& diagnostics) {
  const workload::CommGroup* const known = workload.find_group(group.name);
  if (known == nullptr || known->ranks == group.ranks) return group.name;
  const std::string name(workload.strings.text(group.name));
  diagnostics.add(match::kGroupNameReused, [&] { return "group " + name; });
  return workload.strings.intern(fmt::format("{} [{}]", name, fmt::join(group.ranks, ", ")));
}

// Ranks were linked with a table of texts each.
void add_to_workload(causal::LinkedRank& rank, const Interner& strings, workload::Workload& workload,
                     Diagnostics& diagnostics) {
  Column<StringId> number(strings.size());
  // Texts of the rank in the numbers of the workload.
  for (StringId id = 0; id < number.size(); ++id) number[id] = workload.strings.intern(strings.text(id));
  for (StringId& name : rank.program.names) name = number[name];
  Column<StringId> group_number(strings.size());
  for (StringId id = 0; id < number.size(); ++id) group_number[id] = number[id];
  for (workload::CommGroup& group : rank.groups) {
    const StringId here = group.name;
    group.name = number[here];
    group.name = group_number[here] = name_of_group(group, workload, diagnostics);
    if (workload.find_group(group.name) == nullptr) workload.groups.push_back(group);
  }
  OptionalColumn<StringId> groups;
  for (std::size_t i = 0; i < rank.program.group_names.values().size(); ++i)
    groups.set(i, group_number[rank.program.group_names[i]]);
  groups.complete(rank.program.size());
  rank.program.group_names = std::move(groups);
  workload.epoch_us = rank.epoch_us;
  workload.program_of_rank.push_back(static_cast<std::uint32_t>(workload.programs.size()));
  workload.programs.push_back(std::move(rank.program));
}

/// As the traces say it, since some may be missing; 0 if they do not.
std::size_t recorded_ranks(const trace::Trace& trace) {
  std::int64_t ranks = 0;
  for (const trace::RankTrace& rank : trace.ranks) ranks = std::max(ranks, rank.source.world_size.value_or(0));
  return static_cast<std::size_t>(ranks);
}

}  // namespace

Result<LinkedJob> read_pairs(const std::vector<TracePair>& pairs, const LinkJobOptions& options,
                             Diagnostics& diagnostics) {
  std::vector<HostReading> readings(pairs.size());
  std::optional<Result<trace::Trace>> devices;
  // Both kinds of files at once: they have nothing to do with each other before they are matched.
  parallel_for(2, [&](std::size_t side) {
    if (side == 0) devices = read_devices(pairs, options, diagnostics);
    else read_hosts(pairs, readings);
  });
  if (!*devices) return devices->error();
  LinkedJob job;
  job.trace = std::move(**devices);
  if (const Status chosen = choose_rank(options, job.trace); !chosen) return chosen.error();
  if (const Status joined = refuse_runs(job.trace); !joined) return joined.error();
  for (const trace::RankTrace& rank : job.trace.ranks) {
    const auto pair =
        std::find_if(pairs.begin(), pairs.end(), [&](const TracePair& of) { return of.device == rank.source.path; });
    HostReading& reading = readings[static_cast<std::size_t>(pair - pairs.begin())];
    diagnostics.merge(reading.diagnostics);
    trace::HostTrace& host = job.hosts.emplace_back();
    if (!reading.trace) continue;
    if (!*reading.trace) return reading.trace->error();
    host = std::move(**reading.trace);
    trace::move_texts(host, reading.strings, job.trace.strings);
  }
  return job;
}

void take_groups_of_hosts(LinkedJob& job) {
  for (std::size_t r = 0; r < job.hosts.size(); ++r) {
    trace::RankTrace& rank = job.trace.ranks[r];
    if (!rank.source.groups.empty()) continue;
    for (const pytorch_et::ProcessGroup& group : pytorch_et::process_groups(job.hosts[r], job.trace.strings))
      rank.source.groups.push_back({group.name, {group.ranks.begin(), group.ranks.end()}});
  }
}

Result<LinkedJob> link_read(LinkedJob job, const LinkJobOptions& options, Diagnostics& diagnostics) {
  const std::size_t count = job.hosts.size();
  take_groups_of_hosts(job);
  if (options.retime) {
    if (const Status retimed = options.retime(job.trace); !retimed) return retimed.error();
    job.is_retimed = true;
  }
  std::vector<std::vector<workload::CommGroup>> groups(count);
  // Texts are added here, before ranks are linked side by side, which only read them.
  for (std::size_t r = 0; r < count; ++r) {
    groups[r] = listed_groups(job.trace.ranks[r], job.trace.strings);
  }
  const JobFindings findings(job.trace);
  const match::HostWorks& works = findings.works;
  if (works.inferred > 0)
    diagnostics.add_many(match::kGroupInferred, works.inferred, job.trace.ranks.front().source.path);
  if (works.group_unclear > 0)
    diagnostics.add_many(match::kGroupUnclear, works.group_unclear, job.trace.ranks.front().source.path);
  std::vector<Interner> strings(count);
  std::vector<Diagnostics> remarks(count);
  std::vector<std::optional<Result<causal::LinkedRank>>> linked(count);
  parallel_for(count, [&](std::size_t r) {
    linked[r] = link_one(job, r, std::move(groups[r]), findings, options, strings[r], remarks[r]);
  });
  for (std::size_t r = 0; r < count; ++r) {
    // In the order of ranks, so that texts and groups are numbered the same whatever thread was first.
    diagnostics.merge(remarks[r]);
    if (!*linked[r]) return linked[r]->error();
    add_to_workload(**linked[r], strings[r], job.workload, diagnostics);
    job.ranks.push_back(std::move(**linked[r]));
  }
  job.workload.recorded_ranks = recorded_ranks(job.trace);
  return job;
}

Result<LinkedJob> link_job(const std::vector<TracePair>& pairs, const LinkJobOptions& options,
                           Diagnostics& diagnostics) {
  Result<LinkedJob> job = read_pairs(pairs, options, diagnostics);
  if (!job) return job;
  return link_read(std::move(*job), options, diagnostics);
}

}  // namespace orrery::job
