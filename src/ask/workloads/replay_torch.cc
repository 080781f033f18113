#include <fmt/format.h>

#include <algorithm>

#include "ask/workloads/replay.h"
#include "base/io/output_file.h"
#include "base/percent.h"
#include "base/suggest.h"
#include "job/pairs/linked_job.h"
#include "job/read/source.h"
#include "job/read/workload_input.h"
#include "replay/torch/build/emitted_job.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

namespace torch = replay::torch;
using report::Sheet;
using report::Type;
using report::Unit;

constexpr std::size_t kRemarksShown = 5;

Result<torch::Captures> read_captures(const TorchReplayRequest& request, Context& context) {
  torch::Captures captures;
  if (request.captures.empty()) return captures;
  const auto source = job::find_source(request.captures, {.may_miss_ranks = true}, context.diagnostics());
  if (!source) return source.error();
  if (source->format->content != formats::Content::trace)
    return Error{"no profiler trace is among the captures: which call of a graph is which only that can tell",
                 source->files.front(), Error::kNoOffset, "name the profiler trace of the capture, too"};
  for (const std::string& file : source->all_files()) {
    if (const Status added = context.add_input(file); !added) return added.error();
  }
  // One by one: captures of several batches are no ranks of a job.
  for (const job::TracePair& pair : source->pairs) {
    job::LinkJobOptions reading;
    reading.format = source->format;
    reading.operands = true;
    auto read = job::read_pairs({pair}, reading, context.diagnostics());
    if (!read) return read.error();
    captures.traces.push_back(std::move(read->trace));
    captures.hosts.push_back(std::move(read->hosts));
  }
  return captures;
}

Result<torch::EmittedJob> emit_traces(const TorchReplayRequest& request, Context& context, const job::Source& source,
                                      const torch::EmitOptions& options) {
  auto captures = read_captures(request, context);
  if (!captures) return captures.error();
  job::LinkJobOptions reading;
  reading.format = source.format;
  reading.rank = request.source.rank;
  reading.operands = !request.captures.empty();
  auto read = job::read_pairs(source.pairs, reading, context.diagnostics());
  if (!read) return read.error();
  return torch::emit_pairs(*read, *captures, options, context.diagnostics());
}

Result<torch::EmittedJob> emit_workload(const TorchReplayRequest& request, Context& context, const job::Source& source,
                                        const torch::EmitOptions& options) {
  job::WorkloadRequest reading;
  reading.groups_file = request.source.groups;
  reading.complete = false;  // torchrun is told how many there are
  const auto input = job::read_workload(source, reading, {.diagnostics = context.diagnostics()});
  if (!input) return input.error();
  const bool has_files =
      source.format->content == formats::Content::rank_program && source.files.size() == input->rank_numbers.size();
  return torch::emit_programs(input->workload, has_files ? source.files : std::vector<std::string>(),
                              input->rank_numbers, options);
}

Result<torch::EmittedJob> emit(const TorchReplayRequest& request, Context& context) {
  auto source = job::find_source(request.source.files, {.may_miss_ranks = true}, context.diagnostics());
  if (!source) return source.error();
  torch::EmitOptions options = request.options;
  if (request.scale) {
    const auto words = split_words(*request.scale);
    const auto scale = torch::parse_scale(words.empty() ? "" : words[0], words.size() < 2 ? "" : words[1]);
    if (!scale) return scale.error();
    options.scale = *scale;
  }
  const formats::Content content = source->format->content;
  // Traces are read in pairs, which know their ranks.
  if (content != formats::Content::trace && request.source.rank) {
    if (const Status kept = job::keep_rank(static_cast<std::size_t>(*request.source.rank), *source); !kept)
      return kept.error();
  }
  for (const std::string& file : source->all_files()) {
    if (const Status added = context.add_input(file); !added) return added.error();
  }
  if (content == formats::Content::trace) return emit_traces(request, context, *source, options);
  if (!request.captures.empty())
    return Error{"only host and profiler traces can be joined with captures: others do not say what graphs launched",
                 source->files.front()};
  if (content == formats::Content::host_trace) return torch::emit_linked(source->files, options, context.diagnostics());
  return emit_workload(request, context, *source, options);
}

// "486 operations and 16 collectives of 4 ranks on 834 storages: 100.0 % of ..."
std::string first_sentence(const torch::EmittedJob& job) {
  std::uint64_t calls = 0, storages = 0, collectives = 0;
  std::int64_t peak = 0;
  TimePs device = 0, called = 0;
  for (const torch::OperationList& rank : job.ranks) {
    calls += rank.calls, storages += rank.storages.size(), collectives += rank.collectives;
    device += rank.device_time, called += rank.called_time;
    peak = std::max(peak, rank.peak_bytes);
  }
  std::string text = report::counted(calls, "operation");
  if (collectives > 0) text += " and " + report::counted(collectives, "collective");
  if (job.ranks.size() > 1) text += fmt::format(" of {}", report::counted(job.ranks.size(), "rank"));
  text += fmt::format(" on {} storages", format_count(storages));
  const std::string alive = fmt::format("with at most {} alive", format_bytes(static_cast<std::uint64_t>(peak)));
  const bool has_device =
      std::any_of(job.ranks.begin(), job.ranks.end(), [](const auto& rank) { return rank.has_device; });
  // Where edits left nothing to call, the recording is not to blame.
  if (device == 0 && has_device && (calls > 0 || job.edits.empty()))
    return text + ", " + alive + "; no profiler trace says what the device did.";
  if (calls == 0) return text + ", " + alive + ".";  // communication only
  if (device == 0) return text + ", all on the host.";
  return text +
         fmt::format(": {:.1f} % of the recorded device time will be spent by the operators that spent it, {}{}.",
                     coverage_percent(called, device), alive, job.ranks.size() > 1 ? " per rank" : "");
}

Sheet emitted_ranks_sheet(const torch::EmittedJob& job) {
  Sheet sheet("ranks");
  sheet.add({.name = "rank", .type = Type::integer})
      .add({.name = "device"})
      .add({.name = "steps", .type = Type::integer})
      .add({.name = "operations", .type = Type::integer})
      .add({.name = "collectives", .type = Type::integer})
      .add({.name = "storages", .type = Type::integer})
      .add({.name = "device", .type = Type::time, .unit = Unit::us})
      .add({.name = "called", .type = Type::real, .unit = Unit::pct})
      .add({.name = "peak", .type = Type::integer, .unit = Unit::bytes})
      .add({.name = "waits_from_data", .type = Type::integer});
  for (const torch::OperationList& rank : job.ranks) {
    sheet.add_row({rank.rank, rank.has_device ? "cuda" : "cpu", rank.steps, rank.calls, rank.collectives,
                   rank.storages.size(), rank.device_time, coverage_percent(rank.called_time, rank.device_time),
                   rank.peak_bytes, rank.waits_from_data});
  }
  return sheet;
}

Sheet replaced_work_sheet(const torch::OperationList& rank) {
  Sheet sheet("replaced");
  sheet.add({.name = "name"})
      .add({.name = "count", .type = Type::integer})
      .add({.name = "device", .type = Type::time, .unit = Unit::us});
  for (const auto& [name, work] : rank.replaced) sheet.add_row({name, work.count, work.duration});
  return sheet;
}

Sheet emitted_edits_sheet(const torch::EmittedJob& job) {
  Sheet sheet("edits");
  sheet.add({.name = "edit"})
      .add({.name = "operations", .type = Type::integer})
      .add({.name = "communications", .type = Type::integer})
      .add({.name = "works", .type = Type::integer})
      .add({.name = "pauses", .type = Type::integer})
      .add({.name = "pace", .type = Type::flag});
  for (const torch::EditOutcome& edit : job.edits) {
    sheet.add_row({edit.text, edit.count.operations, edit.count.communications, edit.count.works, edit.count.pauses,
                   edit.count.is_pace});
  }
  return sheet;
}

/// Programs have with each rank what was scaled of it, and what stands in for work that cannot be called again.
void tell_emitted_ranks(report::Answer& answer, const torch::EmittedJob& job) {
  answer.table([&] { return emitted_ranks_sheet(job); }, {.readers = report::Readers::tables});
  if (!answer.for_programs()) return;
  report::Facts& facts = answer.facts();
  const auto rows = report::Facts::share(emitted_ranks_sheet(job));
  facts.key("ranks").begin_array();
  for (std::size_t i = 0; i < job.ranks.size(); ++i) {
    const torch::OperationList& rank = job.ranks[i];
    facts.begin_object().members(rows, i);
    if (rank.scaled.size_before > 0) {
      facts.key("scaled").begin_object();
      facts.field("before", rank.scaled.size_before).field("after", rank.scaled.size_after);
      facts.field("operations", rank.scaled.calls).field("storages", rank.scaled.storages).end_object();
    }
    answer.table(replaced_work_sheet(rank), {.readers = report::Readers::programs});
    facts.end_object();
  }
  facts.end_array();
}

void tell_emitted(report::Answer& answer, const torch::EmittedJob& job, const std::string& folder,
                  std::uint64_t list_bytes, bool verbose) {
  const std::string command = fmt::format("torchrun --nproc-per-node {} {}/replay.py", job.ranks.size(), folder);
  answer.headline(first_sentence(job));
  report::Facts& facts = answer.facts();
  facts.field("folder", folder).field("command", command).field("world_size", job.world_size);
  facts.field("list_bytes", list_bytes);
  tell_emitted_ranks(answer, job);
  if (!job.edits.empty()) answer.table(emitted_edits_sheet(job), {.readers = report::Readers::programs_and_tables});
  facts.key("remarks").begin_array();
  for (const std::string& remark : job.remarks) facts.value(remark);
  facts.end_array();
  const std::size_t shown = verbose ? job.remarks.size() : std::min(job.remarks.size(), kRemarksShown);
  for (std::size_t i = 0; i < shown; ++i) answer.line("  " + job.remarks[i]);
  if (shown < job.remarks.size())
    answer.line(fmt::format("  and {} more remarks (-v, or job.json)", job.remarks.size() - shown));
  answer.line("wrote " + folder).line("run it with: " + command);
}

// As of a what-if: what is not changed is said, and is no success.
bool all_edits_select(Diagnostics& diagnostics, const torch::EmittedJob& job) {
  bool all = true;
  for (const torch::EditOutcome& edit : job.edits) {
    const bool selects_nothing = edit.count.selects_nothing();
    if (!selects_nothing && edit.not_there.empty()) continue;
    all = false;
    diagnostics.add(selects_nothing ? kNothingMatched : kNotThere, [&] {
      return edit.not_there.empty() ? edit.text : fmt::format("{}: {}", edit.text, edit.not_there.front());
    });
  }
  return all;
}

}  // namespace

Result<report::Answer> run(const TorchReplayRequest& request, Context& context) {
  if (!request.output) return misuse("--emit needs a folder to write to", "-o DIR");
  if (request.options.compute_only && request.options.communication_only)
    return misuse("--compute-only and --communication-only leave nothing to run", "give one of them");
  if (is_standard_output(*request.output))
    return misuse("a folder is several files, which standard output is not", "-o DIR");
  const auto job = emit(request, context);
  if (!job) return job.error();
  const auto written = torch::write_folder(*job, *request.output);
  if (!written) return written.error();
  report::Answer answer = context.answer();
  tell_emitted(answer, *job, *request.output, written->list_bytes, context.verbose());
  if (!all_edits_select(context.diagnostics(), *job)) answer.set_failed();
  return answer;
}

}  // namespace orrery::ask
