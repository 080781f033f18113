// orrery kernels: which kernels take the time of the devices.
#include "ask/devices/kernels.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"
#include "cli/verbs/device_flags.h"

namespace orrery::cli {
namespace {

ExitCode run_kernels(Invocation& invocation) {
  ask::KernelsRequest request;
  request.devices.recording.files = invocation.operands();
  return answer(invocation, std::move(request));
}

}  // namespace

const Verb& kernels_verb() {
  static const Verb verb = {
      .name = "kernels",
      .summary = "which kernels, copies and sets take the devices' time, and who launched them",
      .description =
          "Statistics are of calls, always; what is not among the largest is one row with its number of names. What a "
          "piece of work is for "
          "is told by "
          "its category, a recorded collective, its name or the operator that launched it. Work belongs to the "
          "innermost annotation of the "
          "thread that "
          "launched it.\n\n"
          "With --compat hta, the tables of Holistic Trace Analysis 0.6.1 to the last digit, its defects included.",
      .operands = {.name = "TRACE...",
                   .help = "files, folders or globs; several are several ranks",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_hta_flags(
          with_device_flags({
              Flag{.name = "top",
                   .value_name = "N",
                   .kind = ValueKind::count,
                   .help = "the N largest names, and one row for the rest; 0: all",
                   .default_text = "10"},
              Flag{.name = "sort",
                   .value_name = "WHAT",
                   .help = "what makes a name large",
                   .default_text = "time",
                   .choices = "time calls mean longest"},
              Flag{.name = "no-memory", .help = "leave out copies and sets"},
              Flag{.name = "sequences",
                   .value_name = "OP",
                   .help = "also the kernels that operators called OP launch, in order; * and ? stand for anything"},
              Flag{.name = "min-length",
                   .value_name = "N",
                   .kind = ValueKind::count,
                   .help = "with --sequences: leave out sequences of fewer kernels",
                   .default_text = "3"},
              Flag{.name = "counters",
                   .help = "also the hardware counters of kernels, and the operators that launched them"},
          }),
          hta_kernels_flags()),
      .examples = {{"orrery kernels trace.json.gz", "the ten largest, by time"},
                   {"orrery kernels traces/ --top 0 --csv", "every name of every rank, as a table"},
                   {"orrery kernels trace.json.gz --sequences 'aten::linear'", "what a linear layer launches"}},
      .run = run_kernels,
  };
  return verb;
}

}  // namespace orrery::cli
