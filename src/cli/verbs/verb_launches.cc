// orrery launches: does the host keep the devices fed.
#include "ask/devices/launches.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"
#include "cli/verbs/device_flags.h"

namespace orrery::cli {
namespace {

ExitCode run_launches(Invocation& invocation) {
  ask::LaunchesRequest request;
  request.devices.recording.files = invocation.operands();
  return answer(invocation, std::move(request));
}

}  // namespace

const Verb& launches_verb() {
  static const Verb verb = {
      .name = "launches",
      .summary = "does the host keep the devices fed: launch calls, delays, queues, operators",
      .description =
          "Every call of a runtime or driver that shares a correlation with device work is a launch: of kernels, "
          "copies and sets, and of "
          "graphs, "
          "whose call starts many. The delay counts from entering the call and keeps its sign. Queue lengths are "
          "weighted by time, from "
          "entering "
          "the call until the work has ended, and until it starts. Operators are the innermost ones of the launching "
          "thread; "
          "the nested view has those around them, with what each launches itself and all inside it.\n\n"
          "With --compat hta, the tables of Holistic Trace Analysis 0.6.1 to the last digit, its defects included.",
      .operands = {.name = "TRACE...",
                   .help = "files, folders or globs; several are several ranks",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_hta_flags(with_device_flags({
                                  Flag{.name = "queue-limit",
                                       .value_name = "N",
                                       .kind = ValueKind::count,
                                       .help = "with this many waiting, a queue is full",
                                       .default_text = "1024"},
                                  Flag{.name = "no-memory", .help = "leave out copies and sets"},
                                  Flag{.name = "runtime-cutoff-us",
                                       .value_name = "X",
                                       .kind = ValueKind::number,
                                       .help = "calls that take longer are counted as slow",
                                       .default_text = "50"},
                                  Flag{.name = "delay-cutoff-us",
                                       .value_name = "X",
                                       .kind = ValueKind::number,
                                       .help = "work that starts later after its call is counted as late",
                                       .default_text = "100"},
                                  Flag{.name = "top",
                                       .value_name = "N",
                                       .kind = ValueKind::count,
                                       .help = "show N rows of each table; 0: all",
                                       .default_text = "10"},
                                  Flag{.name = "sort",
                                       .value_name = "COLUMN",
                                       .help = "which operators come first",
                                       .default_text = "count",
                                       .choices = "count device launch_delay runtime_delay"},
                              }),
                              hta_launches_flags()),
      .examples = {{"orrery launches trace.json.gz", "all launches of one rank"},
                   {"orrery launches traces/ --queue-limit 100", "and what calls lose while 100 pieces of work wait"}},
      .run = run_launches,
  };
  return verb;
}

}  // namespace orrery::cli
