// orrery diff: what changed between two runs.
#include "ask/graphs/diff.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"
#include "cli/verbs/device_flags.h"

namespace orrery::cli {
namespace {

ExitCode run_diff(Invocation& invocation) {
  ask::DiffRequest request;
  request.runs = invocation.operands();
  return answer(invocation, std::move(request));
}

}  // namespace

const Verb& diff_verb() {
  static const Verb verb = {
      .name = "diff",
      .summary = "what changed between two runs",
      .description =
          "Compares the steps of two runs, of one rank or of whole jobs: is B slower than A, is that more than chance, "
          "and which work "
          "makes "
          "it so.\n\n"
          "The median step of each is taken, their segments are aligned, and every segment goes from its time in A to "
          "that in B along a "
          "straight "
          "line; it adds what it changes while it is on the path. What that does not explain are other dependencies or "
          "another order. The "
          "sum is "
          "the change, to the picosecond. A recording without steps is compared as a whole, with another one "
          "without.\n\n"
          "Device time is compared by what the program asked for: the outermost operator with its shapes and types, "
          "since another device, library, version or compiler calls its kernels otherwise. Segments whose kernels "
          "have other names in the other run are aligned by their operators, too.\n\n"
          "With --compat hta, the names that Holistic Trace Analysis 0.6.1 compares in one step of each, its defects "
          "included.",
      .operands = {.name = "A B",
                   .help = "two runs: a folder, a file or a glob each; or one folder that holds two runs",
                   .min = 1,
                   .max = 2},
      .flags = with_hta_flags(
          with_job_flags({
              Flag{.name = "rank",
                   .value_name = "N",
                   .kind = ValueKind::integer,
                   .help = "compare this rank only, without the others",
                   .group = "Window"},
              Flag{.name = "by",
                   .value_name = "WHAT",
                   .help = "what device work is compared by; operator: outermost operator, shapes, types and module, "
                           "where none is known the kernel; kernel: names of kernels alone",
                   .default_text = "operator",
                   .choices = "operator kernel"},
              Flag{.name = "fail-above",
                   .value_name = "PCT",
                   .kind = ValueKind::number,
                   .help = "exit with 1 if B is slower than A, significantly and by more than PCT percent"},
              csv_flag(),
          }),
          hta_diff_flags()),
      .examples = {{"orrery diff before/ after/", "the change of the step time, and its causes by rank"},
                   {"orrery diff before.json.gz after.json.gz", "the same for one rank"},
                   {"orrery diff log/", "the two runs that TensorBoard's folder holds"},
                   {"orrery diff h100.json.gz mi300.json.gz --annotation ''",
                    "the same model on two devices: which operators take longer, whatever their kernels are called"},
                   {"orrery diff main/ branch/ --fail-above 2",
                    "in CI: fails if the branch is slower by more than 2 %"}},
      .run = run_diff,
  };
  return verb;
}

}  // namespace orrery::cli
