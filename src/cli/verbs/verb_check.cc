// orrery check: can these files be trusted, and what is missing?
#include "ask/files/check.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"

namespace orrery::cli {
namespace {

ExitCode run_check(Invocation& invocation) {
  ask::CheckRequest request;
  request.recording.files = invocation.operands();
  return answer(invocation, std::move(request));
}

}  // namespace

const Verb& check_verb() {
  static const Verb verb = {
      .name = "check",
      .summary = "can it be trusted, what is missing",
      .description =
          "Reads the traces and reports what is wrong with them or missing from them, with codes, counts, the first "
          "place and what to do. "
          "Ends with 1 if there are problems (warnings or errors) or if causality was asked for and is violated or "
          "cannot be checked, with "
          "0 if "
          "there are none or notes only.",
      .operands = {.name = "TRACE...",
                   .help = "files, folders or globs; several are several ranks",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_input_flags({csv_flag(), Flag{.name = "causality",
                                                  .help = "also hold collectives and messages of all ranks to "
                                                          "happens-before: none ends before what it waits for"}}),
      .examples = {{"orrery check traces/", "problems of all ranks, and ranks that are missing"},
                   {"orrery check run/*.xplane.pb --causality",
                    "whether the clocks of the nodes contradict the collectives"}},
      .run = run_check,
  };
  return verb;
}

}  // namespace orrery::cli
