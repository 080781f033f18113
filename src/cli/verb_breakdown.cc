// orrery breakdown: where the devices' time goes.
#include "cli/hta_job_report.h"
#include "cli/load.h"
#include "cli/verbs.h"

namespace orrery::cli {
namespace {

ExitCode run_breakdown(Invocation& invocation) {
  if (!invocation.has("compat")) return invocation.fail_usage({"breakdown needs to know whose rules to follow", "add --compat hta"});
  if (const auto error = flag_of_other_mode(invocation)) return invocation.fail_usage(*error);
  return run_hta_breakdown(invocation);
}

}  // namespace

const Verb& breakdown_verb() {
  static const Verb verb = {
      .name = "breakdown",
      .summary = "where the devices' time goes",
      .description =
          "How long the devices compute, communicate and idle, what they wait for, and how much communication hides behind computing; the "
          "time of "
          "annotations.\n\n"
          "With --compat hta, the tables of Holistic Trace Analysis 0.6.1 to the last digit, its defects included.",
      .operands = {.name = "TRACE...",
                   .help = "traces of one or all ranks: files, folders or globs",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_hta_flags(with_input_flags({csv_flag()}), hta_breakdown_flags()),
      .examples = {{"orrery breakdown traces/ --compat hta", "HTA's temporal breakdown, idle times, overlap and annotations of all ranks"},
                   {"orrery breakdown trace.json.gz --compat hta --kernel-delay-us 5 --json",
                    "the same for programs, with another limit for gaps between kernels"}},
      .run = run_breakdown,
  };
  return verb;
}

}  // namespace orrery::cli
