// orrery whatif: change something, solve again, compare.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "ask/graphs/edits.h"
#include "ask/graphs/whatif.h"
#include "ask/workloads/serving_whatif.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"
#include "job/shipped/llm_config.h"

namespace orrery::cli {
namespace {

UsageError wrong_edit(const Error& error, const std::string& edit) {
  return {error.message, error.hint, edit, error.offset};
}

/// How many operands are traces, before the edits: the first, and those behind it that are there as files. A saved step
/// stands for the trace; then every operand is an edit.
std::size_t trace_count(const Invocation& invocation) {
  if (invocation.has("restore")) return 0;
  const std::vector<std::string>& operands = invocation.operands();
  std::size_t count = 1;
  std::error_code ignored;  // an edit may be no possible name of a file
  while (count < operands.size() && std::filesystem::exists(operands[count], ignored)) ++count;
  return count;
}

std::optional<UsageError> take_operands(const Invocation& invocation, ask::WhatIfRequest& request) {
  std::size_t traces = trace_count(invocation);
  for (const std::string& operand : invocation.operands()) {
    if (traces > 0) {
      --traces;
      for (std::string& path : invocation.context().named_by(operand))
        request.graph.recording.files.push_back(std::move(path));
    } else if (const Status taken = ask::parse_edit(operand, request.edits); !taken) {
      return wrong_edit(taken.error(), operand);
    }
  }
  return std::nullopt;
}

/// Whether it is asked about requests to a serving engine: its configuration stands where else a trace does.
bool is_about_serving(const Invocation& invocation) {
  return !invocation.has("restore") && job::is_llm_config(invocation.operands().front());
}

ExitCode run_serving_whatif(Invocation& invocation) {
  ask::ServingWhatIfRequest request;
  const std::vector<std::string>& operands = invocation.operands();
  request.config = operands.front();
  for (std::size_t i = 1; i < operands.size(); ++i) {
    if (const Status taken = ask::parse_serving_edit(operands[i], request.edits); !taken)
      return invocation.fail_usage(wrong_edit(taken.error(), operands[i]));
  }
  for (const Flag& flag : invocation.verb().flags) {
    if (invocation.has(flag.name) && flag.name != "sweep" && flag.name != "csv")
      return invocation.fail_usage({fmt::format("--{} is about traces, and {} is a configuration", flag.name,
                                                invocation.shown_name(request.config)),
                                    "of requests to a serving engine: edits and --sweep"});
  }
  return answer(invocation, std::move(request));
}

ExitCode run_whatif(Invocation& invocation) {
  if (is_about_serving(invocation)) return run_serving_whatif(invocation);
  ask::WhatIfRequest request;
  if (const auto error = take_operands(invocation, request)) return invocation.fail_usage(*error);
  return answer(invocation, std::move(request));
}

std::unique_ptr<Sweep> open_whatif_sweep(Invocation& invocation) {
  if (is_about_serving(invocation)) return nullptr;
  ask::WhatIfRequest request;
  if (take_operands(invocation, request) || take_flags(invocation, request)) return nullptr;
  return ask::open_sweep(request, invocation.context());
}

}  // namespace

const Verb& whatif_verb() {
  static const Verb verb = {
      .name = "whatif",
      .summary = "change something, re-solve, compare",
      .description =
          "Applies edits to the graph of a step, of one rank or of a whole job, and shows the new step time, the new "
          "path and what "
          "moved.\n\n"
          "An edit is [SCOPE] WHAT[:PATTERN] [FILTER] ACTION. SCOPE: rank:0-3,7 step:2 group:PATTERN. WHAT: cpu op "
          "python runtime untraced "
          "loading; gpu kernel comm copy set; collective[:KIND] p2p; gap; all. "
          "PATTERN: a glob, a quoted "
          "name or a /regular expression/; for gap one of launch kernel stream sync handoff idle. FILTER: stream N, "
          "device N, in PATTERN "
          "(inside an annotation), kind NAME (of operators: gemm, attention, norm, ...). ACTION: "
          "* factor, = duration, + duration, - duration, remove; durations have a unit (ns us ms s); of device work "
          "also = roof, = achievable: no longer than the device allows. Edits apply in "
          "order.\n\n"
          "Also: [SCOPE] delay DURATION (the main thread stands still at the begin of each step); [rank:N] fails at "
          "DURATION restart "
          "DURATION [from step:N].\n\n"
          "profiler remove takes off what recording cost, as the recording itself tells it; --unprofiled finds it from "
          "your own figure.\n\n"
          "Of requests to a serving engine (CONFIG.yml with serving:) edits are: prompts tokens rate concurrency "
          "blocks "
          "seats budget replicas prefill decode steps, each * = + or - a number (of steps a duration); prefix cache, "
          "chunked prefill, reserve prompt on or off; replica N fails at DURATION. All together are compared with the "
          "run as configured, each alone is told, too.",
      .operands = {.name = "TRACE|CONFIG EDIT...",
                   .help = "a trace (file, folder or glob; none with --restore) or a configuration with serving:, then "
                           "one or more edits",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_window_flags({
          Flag{.name = "sweep",
               .value_name = "LIST",
               .help = "also solve with the factor of the scaling edits replaced by each of LIST (0.25,0.5,1,2); "
                       "delays and restarts "
                       "are multiplied"},
          checkpoint_flag(),
          csv_flag(),
          Flag{.name = "machine",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "of a whole job: simulate what ranks exchange on this machine, with contention, calibrated on "
                       "the recording; rank r is "
                       "device r. Edits then also: network|link:PATTERN bandwidth|latency ACTION"},
          Flag{.name = "network-model",
               .value_name = "NAME",
               .help = "with --machine: isolated leaves contention out",
               .default_text = "fluid",
               .choices = "fluid isolated"},
          Flag{.name = "moves",
               .help = "of a whole job with host traces (x.et.json) beside: how long it takes if only data "
                       "dependencies mattered, and the best "
                       "single moves"},
          device_flag(),
          Flag{.name = "interference",
               .help = "kernels beside communication on their device are as long as its units and bytes make them, "
                       "also where edits move either"},
          unprofiled_flag(),
          clock_flag(),
          reduce_flag(ask::RankDetail::graph),
          Flag{.name = "overlay",
               .value_name = "FILE",
               .kind = ValueKind::output,
               .help = "write the trace again with the new path marked; of several ranks a folder"},
          Flag{.name = "all-edges", .help = "with --overlay: arrows for all edges"},
          Flag{.name = "only-critical", .help = "with --overlay: leave out complete events that are not critical"},
      }),
      .examples = {{"orrery whatif trace.json.gz 'kernel:/gemm/ * 0.5'", "matrix multiplications at twice the speed"},
                   {"orrery whatif trace.json.gz 'gap:launch = 0' 'cpu * 0.8'", "free launches and a faster host"},
                   {"orrery whatif trace.json.gz 'comm * 1' --sweep 0.25,0.5,1,2",
                    "how the step answers to the network"},
                   {"orrery whatif trace.json.gz 'op * 1' --sweep 0.5,1,2 --checkpoint op.points",
                    "a sweep that goes on where it was ended"},
                   {"orrery whatif traces/ 'rank:3 untraced remove'",
                    "all ranks, if rank 3 did nothing that it did not record"},
                   {"orrery whatif traces/ 'network bandwidth * 2' --machine machine.yaml",
                    "the job on a faster network"},
                   {"orrery whatif data/llm/serving_chat.yml 'rate * 1.2' 'seats * 2'",
                    "requests to a serving engine: more of them, and more at a time"}},
      .run = run_whatif,
      .open_sweep = open_whatif_sweep,
  };
  return verb;
}

}  // namespace orrery::cli
