#include "cli/replay_emit.h"

#include <fmt/format.h>

#include "cli/exit_code.h"
#include "job/linked_job.h"
#include "job/source.h"
#include "job/workload_input.h"
#include "replay/torch/emitted_job.h"

namespace orrery::cli {
namespace {

namespace torch = replay::torch;

constexpr std::size_t kNamesShown = 5;

Status add_inputs(Invocation& invocation, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    if (const Status added = invocation.add_input(file); !added) return added;
  }
  return {};
}

Result<torch::EmittedJob> emit_traces(Invocation& invocation, const job::Source& source, const torch::EmitOptions& options) {
  job::LinkJobOptions reading;
  reading.format = source.format;
  if (invocation.has("rank")) reading.rank = invocation.integer("rank");
  auto read = job::read_pairs(source.pairs, reading, invocation.diagnostics());
  if (!read) return read.error();
  return torch::emit_pairs(*read, options, invocation.diagnostics());
}

Result<torch::EmittedJob> emit_workload(Invocation& invocation, const job::Source& source, const torch::EmitOptions& options) {
  job::WorkloadRequest request;
  request.groups_file = invocation.text("comm-group");
  request.complete = false;  // torchrun is told how many there are
  const auto input = job::read_workload(source, request, {.diagnostics = invocation.diagnostics()});
  if (!input) return input.error();
  const bool has_files = source.format->content == formats::Content::rank_program && source.files.size() == input->rank_numbers.size();
  return torch::emit_programs(input->workload, has_files ? source.files : std::vector<std::string>(), input->rank_numbers, options);
}

Result<torch::EmittedJob> emit(Invocation& invocation) {
  auto source = job::find_source(invocation.operands(), {.may_miss_ranks = true}, invocation.diagnostics());
  if (!source) return source.error();
  torch::EmitOptions options;
  options.keeps_pace = invocation.text("pace") == "recorded";
  options.compute_only = invocation.has("compute-only");
  options.communication_only = invocation.has("communication-only");
  const formats::Content content = source->format->content;
  if (content != formats::Content::trace && invocation.has("rank")) {
    if (const Status kept = job::keep_rank(static_cast<std::size_t>(invocation.integer("rank")), *source); !kept) return kept.error();
  }
  if (const Status added = add_inputs(invocation, source->all_files()); !added) return added.error();
  if (content == formats::Content::trace) return emit_traces(invocation, *source, options);
  if (content == formats::Content::host_trace) return torch::emit_linked(source->files, options, invocation.diagnostics());
  return emit_workload(invocation, *source, options);
}

double percent(TimePs part, TimePs whole) { return whole == 0 ? 100 : 100.0 * static_cast<double>(part) / static_cast<double>(whole); }

void report_text(Invocation& invocation, const torch::EmittedJob& job, const std::string& folder) {
  std::uint64_t calls = 0, storages = 0;
  std::int64_t peak = 0;
  TimePs device = 0, called = 0;
  for (const torch::OperationList& rank : job.ranks) {
    calls += rank.calls, storages += rank.storages.size(), device += rank.device_time, called += rank.called_time;
    peak = std::max(peak, rank.peak_bytes);
  }
  std::string& text = invocation.text();
  text = fmt::format("{} operations on {} storages: {:.1f} % of the recorded device time will be real operators, at most {} alive.\n",
                     format_count(calls), format_count(storages), percent(called, device), format_bytes(static_cast<std::uint64_t>(peak)));
  for (std::size_t i = 0; i < job.remarks.size() && i < kNamesShown; ++i) text += job.remarks[i] + "\n";
  text += fmt::format("wrote {}\nrun it with: torchrun --nproc-per-node {} {}/replay.py\n", folder, job.ranks.size(), folder);
}

}  // namespace

ExitCode emit_replay(Invocation& invocation) {
  if (!invocation.has("output")) return invocation.fail_usage({"--emit needs a folder to write to", "-o DIR"});
  invocation.take_output();
  const auto job = emit(invocation);
  if (!job) return invocation.fail(job.error());
  const std::string folder = invocation.text("output");
  const auto written = torch::write_folder(*job, folder);
  if (!written) return invocation.fail(written.error());
  report_text(invocation, *job, folder);
  return ExitCode::ok;
}

}  // namespace orrery::cli
