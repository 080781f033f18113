#include "cli/frame/load.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/interrupt.h"
#include "cli/frame/hosting.h"
#include "job/read/shared_reading.h"
#include "trace/copy.h"

namespace orrery::cli {
namespace {

constexpr DiagnosticKind kOtherRanks{"P301", Severity::note, "several ranks were read; one is shown",
                                     "choose it with --rank"};
constexpr DiagnosticKind kRuns{"P302", Severity::note, "recording that is a run of its own, not a rank of one job",
                               "each is looked at by itself, under its place among the files"};

void remark_on_others(Invocation& invocation, const trace::RankTrace& shown, std::size_t ranks) {
  if (ranks <= 1 || invocation.has("rank")) return;
  invocation.diagnostics().add(kOtherRanks, [&] { return fmt::format("showing {} of {}", what_it_is(shown), ranks); });
}

/// Said once, where the ranks of what was read are shown.
void remark_on_runs(Invocation& invocation, const trace::Trace& trace) {
  if (trace.ranks.size() < 2 || !trace.ranks.front().source.is_run) return;
  for (const trace::RankTrace& run : trace.ranks)
    invocation.diagnostics().add(kRuns, [&] { return fmt::format("{} is {}", what_it_is(run), run.source.path); });
}

std::shared_ptr<const OpenedTrace> find_opened(const Invocation& invocation, const std::vector<std::string>& operands) {
  return invocation.hosting() == nullptr ? nullptr : invocation.hosting()->find(operands);
}

/// As if it, or the rank of it that is asked for, had been read now.
Result<std::shared_ptr<const OpenedTrace>> take_opened(Invocation& invocation,
                                                       std::shared_ptr<const OpenedTrace> opened,
                                                       const job::TraceRequest& request) {
  const std::size_t ranks = opened->trace.ranks.size();
  const auto rank =
      request.one_rank && invocation.has("rank") ? std::optional(invocation.integer("rank")) : std::nullopt;
  const bool is_it = ranks == 1 && rank.value_or(opened->trace.ranks.front().rank) == opened->trace.ranks.front().rank;
  if (request.one_rank && !is_it) {
    auto alone = open_rank(*opened, rank);
    if (!alone) return alone.error();
    opened = std::move(*alone);
  }
  invocation.diagnostics().merge(opened->diagnostics);
  invocation.add_inputs(*opened);
  if (request.one_rank) remark_on_others(invocation, opened->trace.ranks.front(), ranks);
  remark_on_runs(invocation, opened->trace);
  return opened;
}

Result<trace::Trace> read_job(Invocation& invocation, const std::vector<std::string>& operands,
                              const job::TraceRequest& request) {
  // A missing rank is no obstacle to looking at those that are there.
  const Result<job::Source> source = job::find_source(operands, {.may_miss_ranks = true}, invocation.diagnostics());
  if (!source) return source.error();
  job::TraceRequest wanted = request;
  if (request.one_rank && invocation.has("rank")) wanted.rank = invocation.integer("rank");
  Progress progress = invocation.progress("reading", total_bytes(source->files));
  Result<job::TraceInput> input = job::read_trace(*source, wanted, reading_of(invocation, progress));
  if (!input) return input.error();
  if (request.one_rank) remark_on_others(invocation, input->trace.ranks.front(), input->job_ranks);
  remark_on_runs(invocation, input->trace);
  return std::move(input->trace);
}

}  // namespace

std::string what_it_is(const trace::RankTrace& rank) {
  return fmt::format("{} {}", rank.source.is_run ? "run" : "rank", rank.rank);
}

Flag csv_flag() { return {.name = "csv", .help = "print the tables as CSV, with the names and units of --json"}; }

std::vector<Flag> with_input_flags(std::vector<Flag> flags) {
  flags.push_back(Flag{.name = "salvage",
                       .help = "read a truncated or damaged file up to the damage instead of refusing it",
                       .group = "Input"});
  return flags;
}

std::uint64_t total_bytes(const std::vector<std::string>& files) {
  std::uint64_t total = 0;
  for (const std::string& file : files) total += job::bytes_of(file);
  return total;
}

job::Reading reading_of(Invocation& invocation, Progress& progress) {
  return {
      .diagnostics = invocation.diagnostics(),
      .salvage = find_flag(invocation.verb().flags, "salvage") != nullptr && invocation.has("salvage"),
      .ranks = invocation.hosting() == nullptr ? std::map<std::string, std::int64_t>() : invocation.hosting()->ranks,
      .on_input = [&invocation](const std::string& path) { return invocation.add_input(path); },
      .on_progress =
          [&progress](std::uint64_t bytes) {
            progress.add(bytes);
            stop_if_requested();
          }};
}

Result<std::shared_ptr<const trace::Trace>> load_job(Invocation& invocation, const std::vector<std::string>& operands,
                                                     const job::TraceRequest& request) {
  if (const std::shared_ptr<const OpenedTrace> opened = find_opened(invocation, operands)) {
    const auto taken = take_opened(invocation, opened, request);
    if (!taken) return taken.error();
    return std::shared_ptr<const trace::Trace>(*taken, &(*taken)->trace);
  }
  Result<trace::Trace> read = read_job(invocation, operands, request);
  if (!read) return read.error();
  return std::make_shared<const trace::Trace>(std::move(*read));
}

Result<trace::Trace> load_own_job(Invocation& invocation, const std::vector<std::string>& operands,
                                  const job::TraceRequest& request) {
  const std::shared_ptr<const OpenedTrace> opened = find_opened(invocation, operands);
  if (opened == nullptr) return read_job(invocation, operands, request);
  const auto taken = take_opened(invocation, opened, request);
  if (!taken) return taken.error();
  return trace::copy_of((*taken)->trace);
}

Result<job::RankAnswers> ask_ranks(Invocation& invocation, const std::vector<std::string>& operands,
                                   const job::RankQuestion& question) {
  if (const std::shared_ptr<const OpenedTrace> opened = find_opened(invocation, operands)) {
    const auto taken = take_opened(invocation, opened, {});
    if (!taken) return taken.error();
    return job::RankAnswers{std::shared_ptr<const trace::Trace>(*taken, &(*taken)->trace),
                            job::answers_of(question, (*taken)->trace)};
  }
  // A missing rank is no obstacle to looking at those that are there.
  const Result<job::Source> source = job::find_source(operands, {.may_miss_ranks = true}, invocation.diagnostics());
  if (!source) return source.error();
  Progress progress = invocation.progress("reading", total_bytes(source->files));
  Result<job::RankAnswers> answers = job::ask_ranks(*source, question, reading_of(invocation, progress));
  if (answers) remark_on_runs(invocation, *answers->job);
  return answers;
}

Result<const trace::RankTrace*> choose_rank(const Invocation& invocation, const trace::Trace& job) {
  if (!invocation.has("rank")) return &job.ranks.front();
  const std::int64_t wanted = invocation.integer("rank");
  const auto at = std::find_if(job.ranks.begin(), job.ranks.end(),
                               [&](const trace::RankTrace& rank) { return rank.rank == wanted; });
  if (at != job.ranks.end()) return &*at;
  std::string known;
  for (const trace::RankTrace& rank : job.ranks) known += (known.empty() ? "" : ", ") + std::to_string(rank.rank);
  return Error{"there is no rank " + std::to_string(wanted), {}, Error::kNoOffset, "ranks in these files: " + known};
}

}  // namespace orrery::cli
