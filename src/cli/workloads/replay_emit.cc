#include "cli/workloads/replay_emit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/io/output_file.h"
#include "base/percent.h"
#include "base/words.h"
#include "cli/frame/verb.h"
#include "cli/graphs/whatif_question.h"
#include "job/pairs/linked_job.h"
#include "job/read/source.h"
#include "job/read/workload_input.h"
#include "replay/torch/build/emitted_job.h"
#include "report/counted.h"

namespace orrery::cli {
namespace {

namespace torch = replay::torch;

constexpr std::size_t kRemarksShown = 5;

Status add_inputs(Invocation& invocation, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    if (const Status added = invocation.add_input(file); !added) return added;
  }
  return {};
}

Result<torch::EmittedJob> emit_traces(Invocation& invocation, const job::Source& source,
                                      const torch::EmitOptions& options) {
  job::LinkJobOptions reading;
  reading.format = source.format;
  if (invocation.has("rank")) reading.rank = invocation.integer("rank");
  auto read = job::read_pairs(source.pairs, reading, invocation.diagnostics());
  if (!read) return read.error();
  return torch::emit_pairs(*read, options, invocation.diagnostics());
}

Result<torch::EmittedJob> emit_workload(Invocation& invocation, const job::Source& source,
                                        const torch::EmitOptions& options) {
  job::WorkloadRequest request;
  request.groups_file = invocation.text("comm-group");
  request.complete = false;  // torchrun is told how many there are
  const auto input = job::read_workload(source, request, {.diagnostics = invocation.diagnostics()});
  if (!input) return input.error();
  const bool has_files =
      source.format->content == formats::Content::rank_program && source.files.size() == input->rank_numbers.size();
  return torch::emit_programs(input->workload, has_files ? source.files : std::vector<std::string>(),
                              input->rank_numbers, options);
}

Result<torch::EmittedJob> emit(Invocation& invocation, std::vector<analyze::ParsedEdit> edits) {
  auto source = job::find_source(invocation.operands(), {.may_miss_ranks = true}, invocation.diagnostics());
  if (!source) return source.error();
  torch::EmitOptions options;
  options.keeps_pace = invocation.text("pace") == "recorded";
  options.compute_only = invocation.has("compute-only");
  options.communication_only = invocation.has("communication-only");
  options.edits = std::move(edits);
  if (invocation.has("scale")) {
    const std::string asked = invocation.texts("scale").front();
    const auto words = split_words(asked);
    const auto scale = torch::parse_scale(words.empty() ? "" : words[0], words.size() < 2 ? "" : words[1]);
    if (!scale) return scale.error();
    options.scale = *scale;
  }
  const formats::Content content = source->format->content;
  if (content != formats::Content::trace && invocation.has("rank")) {
    if (const Status kept = job::keep_rank(static_cast<std::size_t>(invocation.integer("rank")), *source); !kept)
      return kept.error();
  }
  if (const Status added = add_inputs(invocation, source->all_files()); !added) return added.error();
  if (content == formats::Content::trace) return emit_traces(invocation, *source, options);
  if (content == formats::Content::host_trace)
    return torch::emit_linked(source->files, options, invocation.diagnostics());
  return emit_workload(invocation, *source, options);
}

std::string command_of(const torch::EmittedJob& job, const std::string& folder) {
  return fmt::format("torchrun --nproc-per-node {} {}/replay.py", job.ranks.size(), folder);
}

void report_json(JsonWriter& json, const torch::EmittedJob& job, const std::string& folder, std::uint64_t list_bytes) {
  json.field("folder", folder)
      .field("command", command_of(job, folder))
      .field("world_size", job.world_size)
      .field("list_bytes", list_bytes);
  json.key("ranks").begin_array();
  for (const torch::OperationList& rank : job.ranks) {
    json.begin_object()
        .field("rank", rank.rank)
        .field("device", rank.has_device ? "cuda" : "cpu")
        .field("steps", rank.steps);
    json.field("operations", rank.calls).field("collectives", rank.collectives).field("storages", rank.storages.size());
    json.field("device_us", to_us(rank.device_time))
        .field("called_pct", coverage_percent(rank.called_time, rank.device_time));
    if (rank.scaled.size_before > 0) {
      json.key("scaled").begin_object().field("before", rank.scaled.size_before).field("after", rank.scaled.size_after);
      json.field("operations", rank.scaled.calls).field("storages", rank.scaled.storages).end_object();
    }
    json.field("peak_bytes", rank.peak_bytes)
        .field("waits_from_data", rank.waits_from_data)
        .key("replaced")
        .begin_array();
    for (const auto& [name, work] : rank.replaced)
      json.begin_object()
          .field("name", name)
          .field("count", work.count)
          .field("device_us", to_us(work.duration))
          .end_object();
    json.end_array().end_object();
  }
  json.end_array();
  if (!job.edits.empty()) {
    json.key("edits").begin_array();
    for (const torch::EditOutcome& edit : job.edits) {
      json.begin_object().field("edit", edit.text).field("operations", edit.count.operations);
      json.field("communications", edit.count.communications)
          .field("works", edit.count.works)
          .field("pauses", edit.count.pauses);
      json.field("pace", edit.count.is_pace).end_object();
    }
    json.end_array();
  }
  json.key("remarks").begin_array();
  for (const std::string& remark : job.remarks) json.value(remark);
  json.end_array();
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
  std::string text = fmt::format("{} {}", format_count(calls), calls == 1 ? "operation" : "operations");
  if (collectives > 0)
    text += fmt::format(" and {} {}", format_count(collectives), collectives == 1 ? "collective" : "collectives");
  if (job.ranks.size() > 1) text += fmt::format(" of {}", report::counted(job.ranks.size(), "rank"));
  text += fmt::format(" on {} storages", format_count(storages));
  const bool has_device =
      std::any_of(job.ranks.begin(), job.ranks.end(), [](const auto& rank) { return rank.has_device; });
  // Where edits left nothing to call, the recording is not to blame.
  if (device == 0 && has_device && (calls > 0 || job.edits.empty()))
    return text + fmt::format(", with at most {} alive; no profiler trace says what the device did.",
                              format_bytes(static_cast<std::uint64_t>(peak)));
  if (calls == 0)
    return text + fmt::format(", with at most {} alive.",
                              format_bytes(static_cast<std::uint64_t>(peak)));  // communication only
  if (device == 0) return text + ", all on the host.";
  return text + fmt::format(
                    ": {:.1f} % of the recorded device time will be spent by the operators that spent it, with at most "
                    "{} alive{}.",
                    coverage_percent(called, device), format_bytes(static_cast<std::uint64_t>(peak)),
                    job.ranks.size() > 1 ? " per rank" : "");
}

void report_text(Invocation& invocation, const torch::EmittedJob& job, const std::string& folder) {
  std::string& text = invocation.text();
  text = invocation.style().paint(report::Tone::strong, first_sentence(job)) + "\n";
  const std::size_t shown = invocation.verbose() ? job.remarks.size() : std::min(job.remarks.size(), kRemarksShown);
  for (std::size_t i = 0; i < shown; ++i) text += "  " + job.remarks[i] + "\n";
  if (shown < job.remarks.size())
    text += fmt::format("  and {} more remarks (-v, or job.json)\n", job.remarks.size() - shown);
  text += fmt::format("wrote {}\nrun it with: {}\n", folder, command_of(job, folder));
}

// As of a what-if: what is not changed is said, and is no success.
bool all_edits_select(Invocation& invocation, const torch::EmittedJob& job) {
  bool all = true;
  for (const torch::EditOutcome& edit : job.edits) {
    const bool selects_nothing = edit.count.selects_nothing();
    if (!selects_nothing && edit.not_there.empty()) continue;
    all = false;
    invocation.diagnostics().add(selects_nothing ? kNothingMatched : kNotThere, [&] {
      return edit.not_there.empty() ? edit.text : fmt::format("{}: {}", edit.text, edit.not_there.front());
    });
  }
  return all;
}

}  // namespace

ExitCode emit_replay(Invocation& invocation) {
  if (!invocation.has("output")) return invocation.fail_usage({"--emit needs a folder to write to", "-o DIR"});
  if (invocation.has("compute-only") && invocation.has("communication-only"))
    return invocation.fail_usage({"--compute-only and --communication-only leave nothing to run", "give one of them"});
  const std::string folder = invocation.text("output");
  if (is_standard_output(folder))
    return invocation.fail_usage({"a folder is several files, which standard output is not", "-o DIR"});
  invocation.take_output();
  std::vector<analyze::ParsedEdit> edits;
  if (const auto error = parse_edits(invocation.texts("edit"), edits)) return invocation.fail_usage(*error);
  const auto job = emit(invocation, std::move(edits));
  if (!job) return invocation.fail(job.error());
  const auto written = torch::write_folder(*job, folder);
  if (!written) return invocation.fail(written.error());
  if (invocation.json()) report_json(invocation.data(), *job, folder, written->list_bytes);
  else report_text(invocation, *job, folder);
  return all_edits_select(invocation, *job) ? ExitCode::ok : ExitCode::check_failed;
}

}  // namespace orrery::cli
