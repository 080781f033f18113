// orrery llm: how long steps and kernels of language models take, from their configurations.
#include "ask/workloads/llm.h"
#include "ask/workloads/llm_distil.h"
#include "ask/workloads/llm_tables.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"
#include "cli/verbs/simulation_flags.h"

namespace orrery::cli {
namespace {

template <typename Request>
ExitCode run_llm_table(Invocation& invocation) {
  Request request;
  request.table = invocation.operands().front();
  return answer(invocation, std::move(request));
}

template <typename Request>
ExitCode run_llm_tables(Invocation& invocation) {
  Request request;
  request.tables = invocation.operands();
  return answer(invocation, std::move(request));
}

constexpr Operands kOneTable{
    .name = "FILE", .help = "a table of comma-separated values; docs/LLM.md lists the columns", .min = 1, .max = 1};

constexpr Operands kSomeTables{.name = "FILE...", .help = kOneTable.help, .min = 1, .max = Operands::kUnlimited};

Flag hardware_flag() {
  return {.name = "hardware",
          .value_name = "DEVICE",
          .help = "a shipped device (a100, h100, h200, mi210, ...) or a file that describes one",
          .default_text = "h200"};
}

const Verb& llm_kernels_verb() {
  static const Verb verb = {
      .name = "llm kernels",
      .summary = "price every kernel of a table as a benchmark on the device would time it",
      .description =
          "The table has columns kind, dtype, m, n, k, batch, heads, seq, dim, hidden and others. Where it "
          "has measured times (us), the errors are told, too.",
      .operands = kOneTable,
      .flags = {hardware_flag(), csv_flag()},
      .examples = {{"orrery llm kernels kernels.csv --hardware h200",
                    "microseconds per kernel, and the error where it was measured"}},
      .run = run_llm_table<ask::LlmKernelsRequest>,
  };
  return verb;
}

const Verb& llm_collectives_verb() {
  static const Verb verb = {
      .name = "llm collectives",
      .summary = "price every collective of a table by what was measured of its device",
      .description =
          "The table has columns id, device, library, version, op, ranks, dtype, bytes and may have nodes. Says which "
          "of the library's protocols carries each, and what the figure rests on. Where the table has measured times "
          "(us), the errors are told, too.",
      .operands = kOneTable,
      .flags = {hardware_flag(), csv_flag()},
      .examples = {{"orrery llm collectives collectives.csv", "microseconds and bus bandwidth per collective"}},
      .run = run_llm_table<ask::LlmCollectivesRequest>,
  };
  return verb;
}

const Verb& llm_calibrate_verb() {
  static const Verb verb = {
      .name = "llm calibrate",
      .summary = "fit the constants of a device to your own timings of kernels, or of serving stacks to serving points",
      .description =
          "The table is one of kernels, with measured times (us). Says what was learnt, and how far off "
          "kernels are that the constants had not seen. Of serving points (tpot_ms per stack, device and model): what "
          "each stack reaches, and how far off models are that were left out.",
      .operands = kOneTable,
      .flags = {hardware_flag(),
                Flag{.name = "origin",
                     .value_name = "TEXT",
                     .help =
                         "of serving points: where they come from and under which licence, for the head of the file"},
                csv_flag()},
      .examples = {{"orrery llm calibrate kernels.csv --hardware h100 -o mine.yml",
                    "a device fitted to your own timings"}},
      .output_help = "the fitted device, as a description that --hardware takes; or the constants of stacks",
      .run = run_llm_table<ask::LlmCalibrateRequest>,
  };
  return verb;
}

const Verb& llm_distil_verb() {
  static const Verb verb = {
      .name = "llm distil",
      .summary = "make constants and tables of a device out of measured kernels and collectives",
      .description =
          "Tables are those of llm kernels, with times (us) and the library whose calls were timed, and those of llm "
          "collectives. Of kernels, per kind and number format: a formula's constants, a table of what it leaves over, "
          "and intervals from groups of shapes that the table had not seen. Of collectives, per operation and version: "
          "a line per protocol, and how far off sizes are that the lines had not seen.",
      .operands = kSomeTables,
      .flags = {Flag{.name = "device",
                     .value_name = "DEVICE",
                     .help = "whose rows count: a shipped device or a file that describes one",
                     .default_text = "h200"},
                Flag{.name = "origin",
                     .value_name = "TEXT",
                     .help = "where the rows come from and under which licence, for the heads of the files"},
                csv_flag()},
      .examples = {{"orrery llm distil kernels.csv.gz collectives.csv --device h100 -o mine/h100.yaml",
                    "a description with its folder of tables beside it, mine/h100/"}},
      .output_help = "the device's description; what is there stays, and gets the line tables",
      .run = run_llm_tables<ask::LlmDistilRequest>,
  };
  return verb;
}

const Verb& llm_backtest_verb() {
  static const Verb verb = {
      .name = "llm backtest",
      .summary = "predict published measurements from their configurations",
      .description =
          "Training steps, prefill, decode, single operators, memory: a prediction per row; kernels, collectives and "
          "serving points (a stack, a model and a concurrency), too. "
          "Where tables have measured values, the errors are told.",
      .operands = kSomeTables,
      .flags = {Flag{.name = "schedule",
                     .help = "run the schedules of Megatron's steps on their clusters instead of the closed forms"},
                Flag{.name = "write-accuracy",
                     .value_name = "FILE.md",
                     .kind = ValueKind::output,
                     .help = "rewrite the section on language models of a document, schedules beside closed forms"},
                Flag{.name = "stacks",
                     .value_name = "FILE.yaml",
                     .kind = ValueKind::file,
                     .help = "constants of serving stacks, as llm calibrate writes them, in place of the shipped ones"},
                csv_flag()},
      .examples = {{"orrery llm backtest validation.csv --json", "a prediction per row, and the errors per data set"}},
      .run = run_llm_tables<ask::LlmBacktestRequest>,
  };
  return verb;
}

ExitCode run_llm(Invocation& invocation) {
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
          "pipeline's bubble, memory, and the critical path; inference: time to the first token and per token, tokens "
          "per second, memory; matrix products over many devices; and requests through a serving engine, one by one: "
          "what "
          "each waits for and whose work that was. docs/formats/llm.md tells what a configuration says; data/llm has "
          "some.",
      .operands = {.name = "CONFIG...|WHAT FILE",
                   .help = "configurations; or kernels, collectives, backtest, calibrate or distil, and tables of "
                           "comma-separated values",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags =
          {Flag{.name = "sweep",
                .help = "try all parallelisation plans for the configuration's devices (or those that its sweep: "
                        "lists), ranked by time"},
           checkpoint_flag(),
           network_model_flag("how communication is timed, whatever network: of the configuration says"),
           Flag{.name = "et",
                .value_name = "DIR",
                .help = "also write the step as execution traces, DIR/step.0.et, ..., with the machine's files for "
                        "ASTRA-sim"},
           Flag{.name = "manifest",
                .value_name = "FILE",
                .kind = ValueKind::output,
                .help = "with network: {mode: snapshot}: write the snapshots, their members and prices as JSON"},
           Flag{.name = "sensitivity",
                .help = "also what the step would take if everything of a sort took 10 % less, solved again",
                .former_name = "reactions"},
           Flag{.name = "edges", .help = "also list every communication of each stage"},
           Flag{.name = "summary", .help = "of serving: what all requests wait for, without a row for each"},
           Flag{.name = "requests",
                .value_name = "FILE.csv",
                .kind = ValueKind::output,
                .help = "of serving: also write a row per request"},
           Flag{.name = "timeline",
                .value_name = "FILE.json.gz",
                .kind = ValueKind::output,
                .help = "of serving: also write steps, queues and requests as a trace, for Perfetto and orrery report"},
           Flag{.name = "rates",
                .value_name = "LIST",
                .help = "of serving: a run per rate of arrivals (1,2,4 a second), what requests wait for at each"},
           Flag{.name = "blame",
                .value_name = "TAIL",
                .help = "of serving: whose work the slowest first tokens waited for (ttft:p99)"},
           report_flag(), csv_flag()},
      .examples = {{"orrery llm data/llm/gpt_3_175b_64xa100.yml -o step.json.gz",
                    "a step, and its timeline for Perfetto"},
                   {"orrery llm data/llm/gpt_3_175b_64xa100.yml --sweep",
                    "all parallelisation plans for the same devices, ranked"}},
      .output_help =
          "the step as a trace: FILE.json or FILE.json.gz with all ranks for Perfetto, any other name: a folder with a "
          "file per rank",
      .run = run_llm,
      .open_sweep = open_llm_sweep,
      .sub_verbs = {&llm_kernels_verb(), &llm_collectives_verb(), &llm_calibrate_verb(), &llm_distil_verb(),
                    &llm_backtest_verb()},
  };
  return verb;
}

}  // namespace orrery::cli
