// orrery launches: whether the host keeps the devices fed.
#include "cli/hta_job_report.h"
#include "cli/load.h"
#include "cli/verbs.h"

namespace orrery::cli {
namespace {

ExitCode run_launches(Invocation& invocation) {
  if (!invocation.has("compat")) return invocation.fail_usage({"launches needs to know whose rules to follow", "add --compat hta"});
  if (const auto error = flag_of_other_mode(invocation)) return invocation.fail_usage(*error);
  return run_hta_launches(invocation);
}

}  // namespace

const Verb& launches_verb() {
  static const Verb verb = {
      .name = "launches",
      .summary = "whether the host keeps the devices fed",
      .description =
          "How long launch calls take, and how long kernels wait for their start; how many are launched and not started; which operators "
          "launch what.\n\n"
          "With --compat hta, the tables of Holistic Trace Analysis 0.6.1 to the last digit, its defects included.",
      .operands = {.name = "TRACE...",
                   .help = "traces of one or all ranks: files, folders or globs",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_hta_flags(with_input_flags({csv_flag()}), hta_launches_flags()),
      .examples = {{"orrery launches traces/ --compat hta", "HTA's launch statistics, queue lengths and operator delays of all ranks"},
                   {"orrery launches trace.json.gz --compat hta --queue-limit 50 --no-memory",
                    "when 50 launches were waiting; copies and sets left out of the statistics"}},
      .run = run_launches,
  };
  return verb;
}

}  // namespace orrery::cli
