// orrery breakdown: where the time of the devices goes.
#include "ask/devices/breakdown.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"
#include "cli/verbs/device_flags.h"

namespace orrery::cli {
namespace {

ExitCode run_breakdown(Invocation& invocation) {
  ask::BreakdownRequest request;
  request.devices.recording.files = invocation.operands();
  return answer(invocation, std::move(request));
}

}  // namespace

const Verb& breakdown_verb() {
  static const Verb verb = {
      .name = "breakdown",
      .summary = "where the devices' time goes: computing, communicating, copying, idle and why",
      .description =
          "Every moment of every device is counted once, however many streams work in it: computing, communicating "
          "without computing, "
          "copying "
          "alone, or idle. Idle time is split by what bound the work that ended it: the launch call had not come, the "
          "launch took its "
          "time, another "
          "stream had to end first, the device went on slowly, or nothing that was recorded. Where the call had not "
          "come, rows say what "
          "the host "
          "did meanwhile: the history of the thread that launched, across threads that it waited for. Per-stream "
          "figures, overlap and "
          "annotations "
          "follow. "
          "Times are exact; percentages add up to 100.\n\n"
          "docs/BREAKDOWN.md says what each number means, and how it differs from HTA's.\n\n"
          "With --compat hta, the tables of Holistic Trace Analysis 0.6.1 to the last digit, its defects included.",
      .operands = {.name = "TRACE...",
                   .help = "files, folders or globs; several are several ranks",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_hta_flags(with_device_flags({
                                  Flag{.name = "top",
                                       .value_name = "N",
                                       .kind = ValueKind::count,
                                       .help = "the N largest annotations, and one row for the rest; 0: all (people "
                                               "see ten rows unless it is given)",
                                       .default_text = "1000"},
                                  Flag{.name = "sort",
                                       .value_name = "COLUMN",
                                       .help = "which device comes first in the table",
                                       .default_text = "rank",
                                       .choices = "rank idle busy compute window"},
                              }),
                              hta_breakdown_flags()),
      .examples = {{"orrery breakdown trace.json.gz", "all that was recorded of one rank"},
                   {"orrery breakdown traces/ --sort idle", "all ranks of a job, those with the most idle time first"},
                   {"orrery breakdown trace.json.gz --annotation ProfilerStep --instance 2", "the third step"}},
      .run = run_breakdown,
  };
  return verb;
}

}  // namespace orrery::cli
