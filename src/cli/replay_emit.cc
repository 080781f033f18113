#include "cli/replay_emit.h"

#include <fmt/format.h>

#include "cli/exit_code.h"
#include "job/pair_finder.h"
#include "replay/torch/emitted_job.h"

namespace orrery::cli {
namespace {

namespace torch = replay::torch;

constexpr std::size_t kNamesShown = 5;

Result<torch::EmittedJob> emit(Invocation& invocation) {
  auto pairs = job::find_pairs({.hosts = {}, .devices = {}, .either = invocation.operands()}, invocation.diagnostics());
  if (!pairs) return pairs.error();
  if (pairs->empty())
    return Error{"no profiler trace given", {}, Error::kNoOffset, "give a host trace and the profiler trace of the same run"};
  for (const job::TracePair& pair : *pairs) {
    for (const std::string& file : {pair.host, pair.device}) {
      if (file.empty()) continue;
      if (const Status added = invocation.add_input(file); !added) return added.error();
    }
  }
  job::LinkJobOptions options;
  if (invocation.has("rank")) options.rank = invocation.integer("rank");
  auto read = job::read_pairs(*pairs, options, invocation.diagnostics());
  if (!read) return read.error();
  torch::EmitOptions emit_options;
  emit_options.keeps_pace = invocation.text("pace") == "recorded";
  emit_options.compute_only = invocation.has("compute-only");
  emit_options.communication_only = invocation.has("communication-only");
  return torch::emit_pairs(*read, emit_options, invocation.diagnostics());
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
