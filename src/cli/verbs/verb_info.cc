// orrery info: what is in these files.
#include "ask/files/info.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"

namespace orrery::cli {
namespace {

ExitCode run_info(Invocation& invocation) {
  ask::InfoRequest request;
  request.recording.files = invocation.operands();
  return answer(invocation, std::move(request));
}

}  // namespace

const Verb& info_verb() {
  static const Verb verb = {
      .name = "info",
      .summary = "what is in here: ranks, steps, devices, events, time span",
      .description =
          "Reads the traces and lists, for every rank: format and size, events by category, host threads and device "
          "streams, the recorded "
          "steps, devices, annotations "
          "and collectives. Of programs without recorded times (workloads, host traces of PyTorch): ranks, activities "
          "by kind, and groups.",
      .operands = {.name = "TRACE...",
                   .help = "files, folders or globs; several are several ranks",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_input_flags({
          csv_flag(),
          Flag{.name = "event",
               .value_name = "N",
               .kind = ValueKind::count,
               .help = "print entry N of the event list as written, with all its arguments"},
          Flag{.name = "rank",
               .value_name = "N",
               .kind = ValueKind::integer,
               .help = "this rank only (default: all; with --event, the lowest)"},
      }),
      .examples = {{"orrery info traces/", "every rank in the folder"},
                   {"orrery info trace.json.gz --event 4711", "one event in full"}},
      .run = run_info,
  };
  return verb;
}

}  // namespace orrery::cli
