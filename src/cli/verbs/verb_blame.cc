// orrery blame: who made whom wait, and why.
#include "ask/graphs/blame.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"
#include "cli/verbs/device_flags.h"

namespace orrery::cli {
namespace {

ExitCode run_blame(Invocation& invocation) {
  ask::BlameRequest request;
  request.graph.recording.files = invocation.operands();
  return answer(invocation, std::move(request));
}

}  // namespace

const Verb& blame_verb() {
  static const Verb verb = {
      .name = "blame",
      .summary = "who made others wait, and why",
      .description =
          "Joins the ranks of a job by what they exchanged and says what waiting cost each: what it would have saved, "
          "had it never waited. "
          "Every wait is "
          "blamed directly on the rank that came late, and at its root on the rank and the work that made it late, "
          "also if others only "
          "handed the "
          "delay on. What other work hides costs nothing and is nobody's fault.\n\n"
          "Stragglers are told from chance by how often a rank is the worst of a step; the slowdown compares with the "
          "same job of typical "
          "ranks.\n\n"
          "With --compat hta, the potential stragglers that Holistic Trace Analysis 0.6.1 names, its defects included. "
          "With --compat straggler, the slowdowns of the straggler study (OSDI '25), of a table of training "
          "operations.",
      .operands = {.name = "TRACE...",
                   .help = "the files of all ranks: a folder, files or globs",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_hta_flags(
          with_job_flags({
              Flag{.name = "by",
                   .value_name = "WHAT",
                   .help =
                       "what causes are called by: the operation, or the innermost user annotation around its launch",
                   .default_text = "operation",
                   .choices = "operation annotation"},
              Flag{.name = "fail-above",
                   .value_name = "PCT",
                   .kind = ValueKind::number,
                   .help = "exit with 1 if waiting takes more than PCT percent of all ranks' time"},
              reduce_flag(ask::RankDetail::as_needed),
              csv_flag(),
          }),
          hta_blame_flags(), "hta straggler"),
      .examples = {{"orrery blame traces/", "who waits for whom in all steps that every rank recorded"},
                   {"orrery blame traces/ --by annotation", "causes by the parts of the program that you named"},
                   {"orrery blame traces/ --fail-above 5",
                    "for tests of training jobs: fails if ranks wait for more than 5 % of their time"}},
      .run = run_blame,
  };
  return verb;
}

}  // namespace orrery::cli
