// orrery top: what is worth fixing first.
#include "ask/graphs/top.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"

namespace orrery::cli {
namespace {

ExitCode run_top(Invocation& invocation) {
  ask::TopRequest request;
  request.graph.recording.files = invocation.operands();
  return answer(invocation, std::move(request));
}

}  // namespace

const Verb& top_verb() {
  static const Verb verb = {
      .name = "top",
      .summary = "what is worth fixing first, over all ranks of a job",
      .description =
          "Everything that could be made faster, on all ranks: every operator and kernel, the transfers of every "
          "group, every sort of "
          "delay. "
          "For each the part of a small saving that reaches the job, and what the job saves, solved again, if it were "
          "free and if it were "
          "10 % "
          "faster. Of the five best: which save the same time, and in which order to work. For each rank: what the job "
          "would save if it "
          "worked like the others.\n\nThe first column is an edit's selection: orrery whatif takes it with an action "
          "behind it.",
      .operands = {.name = "TRACE...",
                   .help = "the traces of all ranks: files, folders or globs",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_job_flags({csv_flag(), unprofiled_flag(), reduce_flag(ask::RankDetail::graph)}),
      .examples = {{"orrery top traces/", "the opportunities of all common steps"},
                   {"orrery top traces/ --annotation ProfilerStep --instance 2", "of the third step alone"}},
      .run = run_top,
  };
  return verb;
}

}  // namespace orrery::cli
