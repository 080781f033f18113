// orrery simulate: run this workload on that machine.
#include "ask/workloads/simulate.h"
#include "cli/frame/answer.h"
#include "cli/frame/verbs.h"
#include "cli/verbs/simulation_flags.h"

namespace orrery::cli {
namespace {

ExitCode run_simulate(Invocation& invocation) {
  ask::SimulateRequest request;
  request.inputs.files = invocation.operands();
  return answer(invocation, std::move(request));
}

}  // namespace

const Verb& simulate_verb() {
  static const Verb verb = {
      .name = "simulate",
      .summary = "run this workload on that machine",
      .description =
          "Executes a workload (Chakra execution traces, one per rank, a GOAL schedule, or a recorded job) on a "
          "described machine and "
          "tells when every "
          "rank finishes, "
          "how much of its communication is exposed, how every link is used and what bandwidth every collective "
          "reached.\n\n"
          "Models: fluid (transfers that meet on a link share it max-min fairly), isolated (no sharing), snapshot "
          "(sharing priced once, "
          "after an "
          "isolated run), analytical (closed forms), astra (ASTRA-sim's analytical backends), loggops (LogGOPS "
          "parameters instead of "
          "links), astra-sidecar (your own ASTRA-sim is asked). With --compat the "
          "times are those "
          "of ASTRA-sim's analytical backends to the nanosecond.\n\n"
          "A recipe of many steps takes the memory of a few, with --waits too; -o, --per-node, --path, loggops and "
          "astra-sidecar hold all "
          "its "
          "steps.",
      .operands =
          {.name = "[JOB...]",
           .help = "instead of --workload: files, folders or globs of a recorded job, or PREFIX of PREFIX.0.et, ...",
           .min = 0,
           .max = Operands::kUnlimited},
      .flags = with_simulation_flags(with_network_flags(
          with_run_flags({
              Flag{.name = "compat",
                   .value_name = "TOOL",
                   .help = "reproduce a simulator exactly",
                   .choices = "astra-unaware astra-aware astra-aware-md"},
              Flag{.name = "roofline",
                   .value_name = "TYPE",
                   .help =
                       "compute times from operations, bytes and the machine's rates for TYPE instead of recorded ones",
                   .choices = "fp64 fp32 tf32 bf16 fp16 fp8 int8"},
              Flag{.name = "exchange-slowdown",
                   .value_name = "X",
                   .kind = ValueKind::number,
                   .help = "computing takes X times as long while an all-to-all of its rank runs, whose kernels take "
                           "units of the device: 1.18 on an H100; if left out, as long as ever"},
          }),
          "how communication is timed; as the machine says if left out")),
      .examples = {{"orrery simulate --workload et/step --machine data/machines/dgx_h100.yaml",
                    "when every rank finishes, and what bounds it"},
                   {"orrery simulate --workload et/ar --network ring.yml --system system.json --compat astra-unaware",
                    "what ASTRA-sim says, in a fraction of the time"},
                   {"orrery simulate --workload et/step --machine data/machines/dgx_h100.yaml --report run.html",
                    "a page with the run's links over time, for a browser"}},
      .output_help =
          "write what would happen as a trace: FILE.json[.gz] with all ranks for Perfetto, FILE.pftrace[.gz] with the "
          "use of links over "
          "time, too, any other name: a folder with a file "
          "per "
          "rank for orrery path",
      .run = run_simulate,
  };
  return verb;
}

}  // namespace orrery::cli
