#include "cli/job_source.h"

#include <algorithm>

#include "cli/load.h"

namespace orrery::cli {
namespace {

constexpr DiagnosticKind kNothingJoins{"J811", Severity::error, "nothing joins these ranks: no collective or message of theirs was found",
                                       "ask for one rank with --rank; what was recorded of communication: orrery check --causality"};

}  // namespace

Flag clock_flag() {
  return {.name = "clock",
          .value_name = "HOW",
          .help =
              "auto: estimate how the ranks' clocks differ, and correct what exceeds the estimate's band; one: they are on one clock; "
              "align: always correct",
          .default_text = "auto",
          .choices = "auto one align",
          .group = "Input"};
}

std::vector<Flag> with_job_flags(std::vector<Flag> flags) {
  flags.push_back(Flag{.name = "annotation",
                       .value_name = "TEXT",
                       .help = "events whose name contains TEXT; '' is the whole trace (default: the profiler's steps)",
                       .group = "Window"});
  flags.push_back(
      Flag{.name = "instance", .value_name = "N[:M]", .help = "which of them, counting from 0; N:M spans several", .group = "Window"});
  flags.push_back(clock_flag());
  return with_input_flags(std::move(flags));
}

bool asks_whole_job(const Invocation& invocation, const std::vector<std::string>& operands) {
  if (invocation.has("rank") || invocation.has("restore") || operands.empty()) return false;
  Diagnostics unused;
  const Result<job::Source> source = job::find_source(operands, {.may_miss_ranks = true}, unused);
  return source && source->format->content == formats::Content::trace && source->files.size() > 1;
}

Result<job::RecordedJob> load_recorded_job(Invocation& invocation, const std::vector<std::string>& operands) {
  // Of one rank there is nothing to put on a common clock.
  const bool one_rank = find_flag(invocation.verb().flags, "rank") != nullptr && invocation.has("rank");
  Result<trace::Trace> trace = load_job(invocation, operands, {.far_clocks = true, .one_rank = one_rank});
  if (!trace) return trace.error();
  if (trace->ranks.size() == 1) return job::RecordedJob::make(std::move(*trace), job::ClockChoice::one, invocation.diagnostics());
  const std::string how = invocation.text("clock");
  const job::ClockChoice choice = how == "one"     ? job::ClockChoice::one
                                  : how == "align" ? job::ClockChoice::align
                                                   : job::ClockChoice::automatic;
  return job::RecordedJob::make(std::move(*trace), choice, invocation.diagnostics());
}

Result<link::JobGraph> load_job_graph(Invocation& invocation, const std::vector<std::string>& operands, const Instances& instances,
                                      bool typical, const link::JoinOptions& options) {
  const Result<job::RecordedJob> job = load_recorded_job(invocation, operands);
  if (!job) return job.error();
  job::JobWindowRequest request{.first_instance = instances.first, .last_instance = instances.last, .typical = typical};
  if (invocation.has("annotation")) request.annotation = invocation.text("annotation");
  const Result<job::JobWindow> window = job->window(request, invocation.diagnostics());
  if (!window) return window.error();
  return job->graph(*window, options, invocation.diagnostics());
}

bool is_joined(Invocation& invocation, const link::JobGraph& job) {
  if (!job.operations.empty()) return true;
  invocation.diagnostics().add(kNothingJoins);
  return false;
}

}  // namespace orrery::cli
