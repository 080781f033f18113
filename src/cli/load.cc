#include "cli/load.h"

#include <algorithm>
#include <filesystem>

namespace orrery::cli {
namespace {

constexpr DiagnosticKind kOtherRanks{"P301", Severity::note, "several ranks were read; one is shown", "choose it with --rank"};

}  // namespace

Flag csv_flag() { return {.name = "csv", .help = "print the tables as CSV, with the names and units of --json"}; }

std::vector<Flag> with_input_flags(std::vector<Flag> flags) {
  flags.push_back(
      Flag{.name = "salvage", .help = "read a truncated or damaged file up to the damage instead of refusing it", .group = "Input"});
  return flags;
}

std::uint64_t total_bytes(const std::vector<std::string>& files) {
  std::uint64_t total = 0;
  for (const std::string& file : files) {
    std::error_code ignored;
    if (const auto size = std::filesystem::file_size(file, ignored); !ignored) total += size;
  }
  return total;
}

job::Reading reading_of(Invocation& invocation, Progress& progress) {
  return {.diagnostics = invocation.diagnostics(),
          .salvage = find_flag(invocation.verb().flags, "salvage") != nullptr && invocation.has("salvage"),
          .on_input = [&invocation](const std::string& path) { return invocation.add_input(path); },
          .on_progress = [&progress](std::uint64_t bytes) { progress.add(bytes); }};
}

Result<trace::Trace> load_job(Invocation& invocation, const std::vector<std::string>& operands, const job::TraceRequest& request) {
  // A missing rank is no obstacle to looking at those that are there.
  const Result<job::Source> source = job::find_source(operands, {.may_miss_ranks = true}, invocation.diagnostics());
  if (!source) return source.error();
  job::TraceRequest wanted = request;
  if (request.one_rank && invocation.has("rank")) wanted.rank = invocation.integer("rank");
  Progress progress = invocation.progress("reading", total_bytes(source->files));
  Result<job::TraceInput> input = job::read_trace(*source, wanted, reading_of(invocation, progress));
  if (!input) return input.error();
  if (request.one_rank && input->job_ranks > 1 && !invocation.has("rank")) {
    invocation.diagnostics().add(kOtherRanks, [&] {
      return "showing rank " + std::to_string(input->trace.ranks.front().rank) + " of " + std::to_string(input->job_ranks);
    });
  }
  return std::move(input->trace);
}

Result<const trace::RankTrace*> choose_rank(const Invocation& invocation, const trace::Trace& job) {
  if (!invocation.has("rank")) return &job.ranks.front();
  const std::int64_t wanted = invocation.integer("rank");
  const auto at = std::find_if(job.ranks.begin(), job.ranks.end(), [&](const trace::RankTrace& rank) { return rank.rank == wanted; });
  if (at != job.ranks.end()) return &*at;
  std::string known;
  for (const trace::RankTrace& rank : job.ranks) known += (known.empty() ? "" : ", ") + std::to_string(rank.rank);
  return Error{"there is no rank " + std::to_string(wanted), {}, Error::kNoOffset, "ranks in these files: " + known};
}

}  // namespace orrery::cli
