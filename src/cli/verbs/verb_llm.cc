// orrery llm: how long steps and kernels of language models take, from their configurations.
#include <fmt/format.h>

#include "ask/workloads/llm.h"
#include "ask/workloads/llm_tables.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"
#include "cli/verbs/simulation_flags.h"

namespace orrery::cli {
namespace {

/// Of the operand behind the word that says what is to be done with it.
template <typename Request>
ExitCode answer_table(Invocation& invocation) {
  Request request;
  request.table = invocation.operands()[1];
  return answer(invocation, std::move(request));
}

std::optional<UsageError> check_table_flags(const Invocation& invocation, const std::string& what) {
  if (invocation.operands().size() != 2)
    return UsageError{.message = fmt::format("llm {} takes one table", what),
                      .hint = fmt::format("orrery llm {} FILE.csv", what)};
  for (const std::string_view flag :
       {"sweep", "checkpoint", "csv", "et", "manifest", "sensitivity", "edges", "report", "network-model"}) {
    if (invocation.has(flag))
      return UsageError{.message = fmt::format("--{} goes with configurations, not with tables", flag)};
  }
  // The flag is there for what the verb writes otherwise: to take it and write nothing would lose the report.
  if (what != "calibrate" && invocation.has("output"))
    return UsageError{.message = fmt::format("llm {} writes no file", what),
                      .hint = fmt::format("orrery llm {} FILE.csv > REPORT", what)};
  return std::nullopt;
}

ExitCode run_llm(Invocation& invocation) {
  const std::string& what = invocation.operands()[0];
  if (what == "kernels" || what == "backtest" || what == "calibrate") {
    if (const auto error = check_table_flags(invocation, what)) return invocation.fail_usage(*error);
    if (what == "kernels") return answer_table<ask::LlmKernelsRequest>(invocation);
    if (what == "calibrate") return answer_table<ask::LlmCalibrateRequest>(invocation);
    return answer_table<ask::LlmBacktestRequest>(invocation);
  }
  for (const std::string_view flag : {"hardware", "schedule"}) {
    if (invocation.has(flag))
      return invocation.fail_usage({.message = fmt::format("--{} goes with tables, not with configurations", flag)});
  }
  ask::LlmRequest request;
  request.configs = invocation.operands();
  return answer(invocation, std::move(request));
}

std::unique_ptr<Sweep> open_llm_sweep(Invocation& invocation) {
  ask::LlmRequest request;
  request.configs = invocation.operands();
  if (take_flags(invocation, request)) return nullptr;
  return ask::open_llm_sweep(request);
}

}  // namespace

const Verb& llm_verb() {
  static const Verb verb = {
      .name = "llm",
      .summary = "predict steps and kernels of language models from their configurations",
      .description =
          "CONFIG.yml... predicts training steps: time, tokens per second, MFU, exposed communication per axis, the "
          "pipeline's bubble, "
          "memory, "
          "and the critical path; inference: time to the first token and per token, tokens per second, memory; and "
          "matrix products over "
          "many devices. docs/formats/llm.md tells what a configuration says; data/llm has some.\n\n"
          "kernels FILE.csv prices every kernel of a table (columns kind, dtype, m, n, k, batch, heads, seq, dim, "
          "hidden and others: "
          "docs/LLM.md) as a benchmark on the device would time it.\n\n"
          "calibrate FILE.csv fits the constants of a device to such a table with measured times (column us), and says "
          "what was learnt and "
          "how far off kernels are that the constants had not seen.\n\n"
          "backtest FILE.csv predicts published measurements from their configurations: training steps, prefill, "
          "decode, single operators, "
          "memory. "
          "Where a table has measured values, both say how far off the predictions are.",
      .operands = {.name = "CONFIG...|WHAT FILE",
                   .help = "configurations; or kernels, backtest or calibrate, and a table of comma-separated values",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags =
          {Flag{.name = "hardware",
                .value_name = "DEVICE",
                .help = "of kernels and calibrate: a shipped device (a100, h100, h200, mi210, ...) or a file that "
                        "describes one",
                .default_text = "h200"},
           Flag{.name = "sweep",
                .help = "of a configuration: try all parallelisation plans for its devices (or those that its sweep: "
                        "lists), ranked by time"},
           checkpoint_flag(),
           Flag{.name = "schedule",
                .help =
                    "of backtest: run the schedules of Megatron's steps on their clusters instead of the closed forms"},
           network_model_flag("of a configuration: how communication is timed, whatever its network: says"),
           Flag{.name = "et",
                .value_name = "DIR",
                .help = "of a configuration: also write the step as execution traces, DIR/step.0.et, ..., with the "
                        "machine's files for "
                        "ASTRA-sim"},
           Flag{.name = "manifest",
                .value_name = "FILE",
                .kind = ValueKind::output,
                .help = "of a configuration with network: {mode: snapshot}: write the snapshots, their members and "
                        "prices as JSON"},
           Flag{.name = "sensitivity",
                .help = "of a configuration: also what the step would take if everything of a sort took 10 % less, "
                        "solved again",
                .former_name = "reactions"},
           Flag{.name = "edges", .help = "of a configuration: also list every communication of each stage"},
           report_flag(),
           Flag{.name = "csv",
                .help = "of configurations: print the tables as CSV, with the names and units of --json"}},
      .examples = {{"orrery llm data/llm/gpt_3_175b_64xa100.yml -o step.json.gz",
                    "a step, and its timeline for Perfetto"},
                   {"orrery llm data/llm/gpt_3_175b_64xa100.yml --sweep",
                    "all parallelisation plans for the same devices, ranked"},
                   {"orrery llm kernels kernels.csv --hardware h200",
                    "microseconds per kernel, and the error where it was measured"},
                   {"orrery llm calibrate kernels.csv --hardware h100 -o mine.yml",
                    "a device fitted to your own timings"},
                   {"orrery llm backtest validation.csv --json", "a prediction per row, and the errors per data set"}},
      .output_help =
          "of a configuration: the step as a trace: FILE.json or FILE.json.gz with all ranks for Perfetto, any other "
          "name: a folder with a "
          "file per rank; of calibrate: the fitted device, as a description that --hardware takes",
      .run = run_llm,
      .open_sweep = open_llm_sweep,
  };
  return verb;
}

}  // namespace orrery::cli
