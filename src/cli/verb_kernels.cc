// orrery kernels: which kernels take the devices' time.
#include "cli/hta_job_report.h"
#include "cli/load.h"
#include "cli/verbs.h"

namespace orrery::cli {
namespace {

ExitCode run_kernels(Invocation& invocation) {
  if (!invocation.has("compat")) return invocation.fail_usage({"kernels needs to know whose rules to follow", "add --compat hta"});
  if (const auto error = flag_of_other_mode(invocation)) return invocation.fail_usage(*error);
  return run_hta_kernels(invocation);
}

}  // namespace

const Verb& kernels_verb() {
  static const Verb verb = {
      .name = "kernels",
      .summary = "which kernels take the devices' time",
      .description =
          "Time by type of kernel and by kernel, and by the annotation that kernels lie in; on request the sequences of kernels below an "
          "operator, and "
          "hardware counters.\n\n"
          "With --compat hta, the tables of Holistic Trace Analysis 0.6.1 to the last digit, its defects included.",
      .operands = {.name = "TRACE...",
                   .help = "traces of one or all ranks: files, folders or globs",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_hta_flags(with_input_flags({csv_flag()}), hta_kernels_flags()),
      .examples = {{"orrery kernels traces/ --compat hta --top 5", "HTA's kernel breakdown, the five largest of each type by name"},
                   {"orrery kernels trace.json.gz --compat hta --sequences aten::linear",
                    "which kernels linear layers launch, and how often"}},
      .run = run_kernels,
  };
  return verb;
}

}  // namespace orrery::cli
