// orrery memory: how fast copies are, or what fills the memory.
#include "cli/hta_job_report.h"
#include "cli/load.h"
#include "cli/verbs.h"

namespace orrery::cli {
namespace {

ExitCode run_memory(Invocation& invocation) {
  if (!invocation.has("compat")) return invocation.fail_usage({"memory needs to know whose rules to follow", "add --compat hta"});
  if (const auto error = flag_of_other_mode(invocation)) return invocation.fail_usage(*error);
  return run_hta_memory(invocation);
}

}  // namespace

const Verb& memory_verb() {
  static const Verb verb = {
      .name = "memory",
      .summary = "how fast copies are, or what fills the memory",
      .description =
          "The rates of copies and sets; of a raw memory timeline of PyTorch's profiler, what fills the memory.\n\n"
          "With --compat hta, the tables of Holistic Trace Analysis 0.6.1 to the last digit, its defects included.",
      .operands = {.name = "FILE...", .help = "traces of one or all ranks, or one memory timeline", .min = 1, .max = Operands::kUnlimited},
      .flags = with_hta_flags(with_input_flags({csv_flag()}), hta_memory_flags()),
      .examples = {{"orrery memory trace.json.gz --compat hta", "HTA's bandwidth by kind of copy"},
                   {"orrery memory timeline.raw.json.gz --compat hta", "peak and final bytes by category"}},
      .run = run_memory,
  };
  return verb;
}

}  // namespace orrery::cli
