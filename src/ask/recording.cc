#include "ask/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "ask/graphs/unprofiled.h"
#include "base/interrupt.h"
#include "job/read/inputs.h"
#include "job/read/rules_input.h"
#include "job/read/shared_reading.h"
#include "report/answer.h"
#include "trace/select_events.h"

namespace orrery::ask {
namespace {

constexpr DiagnosticKind kOtherRanks{"P301", Severity::note, "several ranks were read; one is shown",
                                     "choose it with --rank"};
constexpr DiagnosticKind kRuns{"P302", Severity::note, "recording that is a run of its own, not a rank of one job",
                               "each is looked at by itself, under its place among the files"};

void remark_on_others(Context& context, const RecordingRequest& request, const trace::RankTrace& shown,
                      std::size_t ranks) {
  if (ranks <= 1 || request.rank) return;
  context.diagnostics().add(kOtherRanks, [&] { return fmt::format("showing {} of {}", what_it_is(shown), ranks); });
}

/// Said once, where the ranks of what was read are shown.
void remark_on_runs(Context& context, const trace::Trace& trace) {
  if (trace.ranks.size() < 2 || !trace.ranks.front().source.is_run) return;
  for (const trace::RankTrace& run : trace.ranks)
    context.diagnostics().add(kRuns, [&] { return fmt::format("{} is {}", what_it_is(run), run.source.path); });
}

/// As if it, or the rank of it that is asked for, had been read now.
Result<std::shared_ptr<const OpenedTrace>> take_opened(Context& context, const RecordingRequest& request,
                                                       std::shared_ptr<const OpenedTrace> opened,
                                                       const job::TraceRequest& wanted) {
  const std::size_t ranks = opened->trace.ranks.size();
  const auto rank = wanted.one_rank ? request.rank : std::nullopt;
  const bool is_it = ranks == 1 && rank.value_or(opened->trace.ranks.front().rank) == opened->trace.ranks.front().rank;
  if (wanted.one_rank && !is_it) {
    auto alone = open_rank(*opened, rank);
    if (!alone) return alone.error();
    opened = std::move(*alone);
  }
  context.diagnostics().merge(opened->diagnostics);
  context.add_inputs(*opened);
  if (wanted.one_rank) remark_on_others(context, request, opened->trace.ranks.front(), ranks);
  remark_on_runs(context, opened->trace);
  return opened;
}

/// Reads RecordingRequest::captures and joins them with what was recorded. A folder means the files in it. An Error
/// names a file that cannot be used; one that fits nothing is remarked upon.
Status join_captures(Context& context, const RecordingRequest& request, trace::Trace& trace) {
  const Result<std::vector<std::string>> files = job::expand_inputs(request.captures);
  if (!files) return files.error();
  std::vector<trace::Trace> captures;
  for (const std::string& file : *files) {
    // Engines list their captures in a file beside them.
    if (std::filesystem::path(file).filename() == "execution_details.json") continue;
    const RecordingRequest one{.files = {file}, .salvage = request.salvage};
    Result<trace::Trace> capture = load_own_trace(context, one, {.operands = true});
    if (!capture) return capture.error();
    captures.push_back(std::move(*capture));
  }
  analyze::join_captures(trace, captures, context.diagnostics(), request.unfitting);
  return {};
}

/// What was opened before has no operands: who needs them reads the files again.
std::shared_ptr<const OpenedTrace> find_opened(const Context& context, const RecordingRequest& request,
                                               const job::TraceRequest& wanted) {
  return wanted.operands || !request.captures.empty() || !request.counters.empty() ? nullptr
                                                                                   : context.find_opened(request.files);
}

/// What was opened is read by the shipped rules; a question may bring its own.
Status read_own_rules(Context& context, const RecordingRequest& request, trace::Trace& trace) {
  if (request.rules.empty()) return {};
  for (const std::string& file : request.rules) {
    if (const Status told = context.add_input(file); !told) return told;
  }
  auto rules = job::read_rules(request.rules);
  if (!rules) return rules.error();
  trace.rules = std::move(*rules);
  return {};
}

Result<trace::Trace> read_trace_of(Context& context, const RecordingRequest& request, job::TraceRequest wanted) {
  // A missing rank is no obstacle to looking at those that are there.
  const Result<job::Source> source = job::find_source(request.files, {.may_miss_ranks = true}, context.diagnostics());
  if (!source) return source.error();
  if (wanted.one_rank && request.rank) wanted.rank = request.rank;
  wanted.operands |= !request.captures.empty();
  Progress progress = context.progress("reading", total_bytes(source->files));
  Result<job::TraceInput> input = job::read_trace(*source, wanted, reading_of(context, request, progress));
  if (!input) return input.error();
  if (wanted.one_rank) remark_on_others(context, request, input->trace.ranks.front(), input->job_ranks);
  remark_on_runs(context, input->trace);
  return std::move(input->trace);
}

}  // namespace

std::string what_it_is(const trace::RankTrace& rank) {
  return fmt::format("{} {}", rank.source.is_run ? "run" : "rank", rank.rank);
}

std::string typed(const RecordingRequest& request) {
  std::string flags = request.without_profiler ? " --without-profiler" : "";
  for (const std::string& file : request.captures) flags += " --capture " + report::shell_quote(file);
  for (const std::string& file : request.rules) flags += " --rules " + report::shell_quote(file);
  for (const std::string& file : request.counters) flags += " --counters " + report::shell_quote(file);
  return flags;
}

std::uint64_t total_bytes(const std::vector<std::string>& files) {
  std::uint64_t total = 0;
  for (const std::string& file : files) total += job::bytes_of(file);
  return total;
}

job::Reading reading_of(Context& context, const RecordingRequest& request, Progress& progress) {
  job::Reading reading{.diagnostics = context.diagnostics(),
                       .salvage = request.salvage,
                       .ranks = context.setting().ranks,
                       .rules = request.rules,
                       .counters = request.counters,
                       .on_input = [&context](const std::string& path) { return context.add_input(path); },
                       .on_progress =
                           [&progress](std::uint64_t bytes) {
                             progress.add(bytes);
                             stop_if_requested();
                           }};
  if (!request.captures.empty())
    reading.complete = [&context, request](trace::Trace& trace) { return join_captures(context, request, trace); };
  if (request.without_profiler) reading.retime = [&context](trace::Trace& trace) { return retime(context, trace); };
  return reading;
}

Result<std::shared_ptr<const trace::Trace>> load_trace(Context& context, const RecordingRequest& request,
                                                       const job::TraceRequest& wanted) {
  if (const std::shared_ptr<const OpenedTrace> opened = find_opened(context, request, wanted)) {
    if (!request.without_profiler && request.rules.empty()) {
      const auto taken = take_opened(context, request, opened, wanted);
      if (!taken) return taken.error();
      return std::shared_ptr<const trace::Trace>(*taken, &(*taken)->trace);
    }
  }
  Result<trace::Trace> own = load_own_trace(context, request, wanted);
  if (!own) return own.error();
  return std::make_shared<const trace::Trace>(std::move(*own));
}

Result<trace::Trace> load_own_trace(Context& context, const RecordingRequest& request,
                                    const job::TraceRequest& wanted) {
  const std::shared_ptr<const OpenedTrace> opened = find_opened(context, request, wanted);
  if (opened == nullptr) return read_trace_of(context, request, wanted);
  const auto taken = take_opened(context, request, opened, wanted);
  if (!taken) return taken.error();
  trace::Trace own = trace::copy_of((*taken)->trace);
  if (const Status read = read_own_rules(context, request, own); !read) return read.error();
  if (!request.without_profiler) return own;
  if (const Status retimed = retime(context, own); !retimed) return retimed.error();
  return own;
}

Result<job::RankAnswers> ask_ranks(Context& context, const RecordingRequest& request,
                                   const job::RankQuestion& question) {
  if (const std::shared_ptr<const OpenedTrace> opened = context.find_opened(request.files)) {
    const auto taken = take_opened(context, request, opened, {});
    if (!taken) return taken.error();
    if (!request.rules.empty()) {
      trace::Trace own = trace::copy_of((*taken)->trace);
      if (const Status read = read_own_rules(context, request, own); !read) return read.error();
      const auto job = std::make_shared<const trace::Trace>(std::move(own));
      return job::RankAnswers{job, job::answers_of(question, *job)};
    }
    return job::RankAnswers{std::shared_ptr<const trace::Trace>(*taken, &(*taken)->trace),
                            job::answers_of(question, (*taken)->trace)};
  }
  // A missing rank is no obstacle to looking at those that are there.
  const Result<job::Source> source = job::find_source(request.files, {.may_miss_ranks = true}, context.diagnostics());
  if (!source) return source.error();
  Progress progress = context.progress("reading", total_bytes(source->files));
  Result<job::RankAnswers> answers = job::ask_ranks(*source, question, reading_of(context, request, progress));
  if (answers) remark_on_runs(context, *answers->job);
  return answers;
}

Result<const trace::RankTrace*> choose_rank(const trace::Trace& job, std::optional<std::int64_t> wanted) {
  if (!wanted) return &job.ranks.front();
  const auto at = std::find_if(job.ranks.begin(), job.ranks.end(),
                               [&](const trace::RankTrace& rank) { return rank.rank == *wanted; });
  if (at != job.ranks.end()) return &*at;
  std::string known;
  for (const trace::RankTrace& rank : job.ranks) known += (known.empty() ? "" : ", ") + std::to_string(rank.rank);
  return Error{"there is no rank " + std::to_string(*wanted), {}, Error::kNoOffset, "ranks in these files: " + known};
}

}  // namespace orrery::ask
