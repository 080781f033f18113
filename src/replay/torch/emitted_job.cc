#include "replay/torch/emitted_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/parallel.h"
#include "formats/pytorch_et/arguments.h"
#include "replay/torch/pair_source.h"

namespace orrery::replay::torch {
namespace {

Error no_host_trace(const std::string& file) {
  return {"this profiler trace has no host trace beside it: it says what ran, not what it was called with", file, Error::kNoOffset,
          "record with torch.profiler.ExecutionTraceObserver too, or link into a Chakra file and emit that"};
}

bool has_schemas(const trace::HostTrace& host) {
  return std::any_of(host.op_schema.begin(), host.op_schema.end(), [](StringId schema) { return schema != 0; });
}

Result<OperationList> emit_pair(const job::LinkedJob& read, std::size_t r, const EmitOptions& options, double least_coverage_percent,
                                Diagnostics& diagnostics) {
  const trace::HostTrace& host = read.hosts[r];
  if (host.size() == 0) return no_host_trace(read.trace.ranks[r].source.path);
  if (!has_schemas(host))
    return Error{"this host trace has no operator schemas: nothing in it can be called", host.path, Error::kNoOffset,
                 "PyTorch 2.0 and later record them"};
  const auto source = source_of_pair(read.trace, read.trace.ranks[r], host, least_coverage_percent, diagnostics);
  if (!source) return source.error();
  return build_operations(*source, pytorch_et::read_arguments(host, read.trace.strings), options);
}

std::string name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// What was replaced, over all ranks, the longest first.
void remark_on_replaced(EmittedJob& job) {
  std::map<std::string, ReplacedWork> all;
  for (const OperationList& rank : job.ranks) {
    for (const auto& [name, work] : rank.replaced) all[name].count += work.count, all[name].duration += work.duration;
  }
  std::vector<std::pair<std::string, ReplacedWork>> sorted(all.begin(), all.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second.duration > b.second.duration; });
  for (const auto& [name, work] : sorted)
    job.remarks.push_back(fmt::format("{} of {} cannot be called: device work of the recorded duration stands for {}, {} in all",
                                      format_count(work.count), name, work.count == 1 ? "it" : "them", format_duration(work.duration)));
}

}  // namespace

Result<EmittedJob> emit_pairs(const job::LinkedJob& read, const EmitOptions& options, double least_coverage_percent,
                              Diagnostics& diagnostics) {
  const std::size_t count = read.trace.ranks.size();
  std::vector<std::optional<Result<OperationList>>> lists(count);
  std::vector<Diagnostics> remarks(count);
  parallel_for(count, [&](std::size_t r) { lists[r] = emit_pair(read, r, options, least_coverage_percent, remarks[r]); });
  EmittedJob job;
  std::uint64_t waits = 0;
  for (std::size_t r = 0; r < count; ++r) {
    diagnostics.merge(remarks[r]);
    if (!*lists[r]) return lists[r]->error();
    job.ranks.push_back(std::move(**lists[r]));
    waits += job.ranks.back().waits_from_data;
    job.world_size = std::max({job.world_size, read.trace.ranks[r].rank + 1, read.trace.ranks[r].source.world_size.value_or(0)});
    job.sources.push_back(name_of(read.hosts[r].path));
    job.sources.push_back(name_of(read.trace.ranks[r].source.path));
    job.host_bytes += read.hosts[r].content.size();
  }
  job.groups.emplace_back();
  for (std::int64_t r = 0; r < job.world_size; ++r) job.groups.front().push_back(r);
  remark_on_replaced(job);
  if (waits > 0)
    job.remarks.push_back(fmt::format("{} waits between streams come from the data: the recording does not say for which event they waited",
                                      format_count(waits)));
  return job;
}

}  // namespace orrery::replay::torch
