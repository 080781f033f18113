#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/parallel.h"
#include "formats/pytorch_et/arguments.h"
#include "match/host_work_finder.h"
#include "replay/torch/build/emitted_job.h"
#include "replay/torch/source/graph_calls.h"
#include "replay/torch/source/pair_source.h"

namespace orrery::replay::torch {
namespace {

Status check_host(const trace::RankTrace& rank, const trace::HostTrace& host, bool has_captures) {
  if (host.size() == 0)
    return Error{"no host trace belongs to this profiler trace: it says what ran, not what it was called with",
                 rank.source.path, Error::kNoOffset,
                 "record an execution trace beside it (torch.profiler.ExecutionTraceObserver) and name it too"};
  const bool has_schemas =
      std::any_of(host.op_schema.begin(), host.op_schema.end(), [](StringId schema) { return schema != 0; });
  // A job that only launches graphs calls no operators itself.
  if (!has_schemas && !has_captures)
    return Error{"this host trace has no operator schemas: nothing in it can be called", host.path, Error::kNoOffset,
                 "PyTorch records them from 2.0 on; scrub leaves them in with --keep-operators"};
  return {};
}

std::string name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// What captures cannot do for a job.
Status check_captures(const job::LinkedJob& read, const std::vector<std::vector<CapturedProgram>>& programs,
                      const EmitOptions& options) {
  if (programs.empty()) return {};
  for (const trace::HostTrace& host : read.hosts) {
    if (host.is_flat())
      return Error{"a host trace of schema 1.0.1 cannot be joined with captures", host.path, Error::kNoOffset,
                   "record the job with PyTorch 2.1 or later"};
  }
  for (const std::vector<CapturedProgram>& ranks : programs) {
    for (const CapturedProgram& program : ranks) {
      if (options.scale && program.is_profiled)
        return Error{"what a profiler trace says of a capture cannot be scaled: which tensors are the same is not told",
                     program.host->path, Error::kNoOffset, "name the capture's host trace too"};
    }
  }
  return {};
}

// The largest rank that anything speaks of: recordings often are of a few ranks of a large job.
std::int64_t world_size_of(const trace::Trace& trace) {
  std::int64_t size = 1;
  for (const trace::RankTrace& rank : trace.ranks) {
    size = std::max({size, rank.rank + 1, rank.source.world_size.value_or(0)});
    for (const trace::ProcessGroup& group : rank.source.groups) {
      for (const std::int64_t member : group.ranks) size = std::max(size, member + 1);
    }
  }
  // A damaged number must not decide how much memory groups take.
  return std::min(size, kMostRanks);
}

}  // namespace

Result<EmittedJob> emit_pairs(job::LinkedJob& read, Captures& captures, const EmitOptions& options,
                              Diagnostics& diagnostics) {
  const std::size_t count = read.trace.ranks.size();
  for (std::size_t r = 0; r < count; ++r) {
    const Status usable = check_host(read.trace.ranks[r], read.hosts[r], !captures.traces.empty());
    if (!usable) return usable.error();
  }
  job::take_groups_of_hosts(read);
  const auto programs = programs_of_captures(captures, read.trace.strings);
  if (!programs) return programs.error();
  if (const Status possible = check_captures(read, *programs, options); !possible) return possible.error();
  const auto joined = captures.traces.empty() ? std::vector<std::vector<analyze::JoinedWork>>(count)
                                              : analyze::join_captures(read.trace, captures.traces, diagnostics);
  const match::HostWorks works = match::find_host_works(read.trace, match::ProcessGroups(read.trace));
  const std::int64_t world_size = world_size_of(read.trace);
  std::vector<std::optional<Result<RankSource>>> found(count);
  std::vector<trace::HostArguments> arguments(count);
  std::vector<Diagnostics> remarks(count);
  // Two tasks per rank: its arguments are read beside everything else, as nothing here needs them.
  parallel_for(2 * count, [&](std::size_t i) {
    const std::size_t r = i / 2;
    if (i % 2 != 0) {
      arguments[r] = pytorch_et::read_arguments(read.hosts[r], read.trace.strings);
      return;
    }
    PairOptions pair;
    pair.world_size = world_size;
    if (!works.ranks.empty()) pair.works = works.ranks[r];
    found[r] = source_of_pair(read.trace, read.trace.ranks[r], read.hosts[r], pair, remarks[r]);
  });
  std::vector<RankSource> sources;
  for (std::size_t r = 0; r < count; ++r) {
    // Remarks of all ranks up to the first error, in the order of ranks and not in that of threads.
    diagnostics.merge(remarks[r]);
    if (!*found[r]) return found[r]->error();
    sources.push_back(std::move(**found[r]));
    call_graphs(joined[r], *programs, sources.back(), arguments[r]);
  }
  auto emitted = emit_ranks(std::move(sources), arguments, options);
  if (!emitted) return emitted.error();
  EmittedJob& job = *emitted;
  for (std::size_t r = 0; r < count; ++r) {
    job.sources.push_back(name_of(read.hosts[r].path));
    job.sources.push_back(name_of(read.trace.ranks[r].source.path));
    job.host_bytes += read.hosts[r].content.size();
  }
  for (const trace::Trace& capture : captures.traces) job.sources.push_back(name_of(capture.ranks.front().source.path));
  return emitted;
}

}  // namespace orrery::replay::torch
