// orrery steps: what the engine did, step by step.
#include "ask/devices/steps.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"
#include "cli/verbs/device_flags.h"

namespace orrery::cli {
namespace {

ExitCode run_steps(Invocation& invocation) {
  ask::StepsRequest request;
  request.devices.recording.files = invocation.operands();
  return answer(invocation, std::move(request));
}

}  // namespace

const Verb& steps_verb() {
  static const Verb verb = {
      .name = "steps",
      .summary = "what an engine did step by step: phase, batch, tokens, device time",
      .description =
          "Serving engines (vLLM, SGLang, ATOM, TensorRT-LLM, xDiT) write phase, requests and tokens of each step into "
          "its name; of nested names the outermost counts. Where no name says so, steps are the profiler's, else an "
          "annotation that comes at least three times and covers most launches, else launches of graphs, else, in a "
          "recording of devices alone, the shortest sequence of work that makes up all of it.\n\n"
          "A step's work is what calls that begin in its range launch, on any thread. Its wall time goes to the begin "
          "of the next one; devices may still be at its work then, or at that of the one before.",
      .operands = {.name = "TRACE...",
                   .help = "files, folders or globs; several are several ranks",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_device_flags({Flag{.name = "top",
                                       .value_name = "N",
                                       .kind = ValueKind::count,
                                       .help = "show N rows of each table; 0: all",
                                       .default_text = "10"}}),
      .examples = {{"orrery steps trace.json.gz", "steps and phases of one rank"},
                   {"orrery steps traces/ --top 0 --csv steps.csv", "all steps of all ranks, as a table"}},
      .run = run_steps,
  };
  return verb;
}

}  // namespace orrery::cli
