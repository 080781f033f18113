// orrery graphs: which graphs run, and what happens between their launches.
#include "ask/devices/graphs.h"
#include "cli/frame/answer.h"
#include "cli/frame/verbs.h"
#include "cli/verbs/device_flags.h"

namespace orrery::cli {
namespace {

ExitCode run_graphs(Invocation& invocation) {
  ask::GraphsRequest request;
  request.devices.recording.files = invocation.operands();
  return answer(invocation, std::move(request));
}

}  // namespace

const Verb& graphs_verb() {
  static const Verb verb = {
      .name = "graphs",
      .summary = "which captured graphs run, what is in them, and what happens between their launches",
      .description =
          "A CUDA or HIP graph is one call and hundreds of kernels without an operator. Launches are of one graph if "
          "the same kernels run below them; per graph: how often it runs, how long each node takes, and what the host "
          "did while the device waited for the next launch.\n\n"
          "With --capture, a recording of the same program while it was captured (or of an eager run) gives each node "
          "its operator, shapes, module and range. One that is of something else is refused: nothing is carried over, "
          "and it is said.",
      .operands = {.name = "TRACE...",
                   .help = "files, folders or globs; several are several ranks",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_device_flags({
          Flag{.name = "top",
               .value_name = "N",
               .kind = ValueKind::count,
               .help = "of each graph the N nodes that take longest; 0: all",
               .default_text = "10"},
      }),
      .examples = {{"orrery graphs decode.json.gz", "how often each graph runs, and why the device waits between"},
                   {"orrery graphs decode.json.gz --capture capture.json.gz", "with the operators of its nodes"}},
      .run = run_graphs,
  };
  return verb;
}

}  // namespace orrery::cli
