// orrery hang: why a job does not go on.
#include "ask/files/hang.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"

namespace orrery::cli {
namespace {

ExitCode run_hang(Invocation& invocation) {
  ask::HangRequest request;
  request.recording.files = invocation.operands();
  return answer(invocation, std::move(request));
}

}  // namespace

const Verb& hang_verb() {
  static const Verb verb = {
      .name = "hang",
      .summary = "why does the job hang, and which rank is it",
      .description =
          "Reads the dumps that PyTorch's Flight Recorder writes when a collective times out, pickle or JSON, and says "
          "who holds up whom: a rank that did not come, one that left no dump, a device that is stuck, calls that do "
          "not fit together, a circle of ranks that wait for one another, or a transfer that does not end. The rank "
          "that all others wait for in the end is named with its last call, and so is the chain that leads to it.\n\n"
          "Nothing in a pickle is executed. Ends with 0 if every recorded call is complete, with 1 otherwise.",
      .operands = {.name = "DUMP...",
                   .help = "files, folders or globs; the last number in a file's name is its rank",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = {csv_flag()},
      .examples = {{"orrery hang dumps/", "who holds up the job whose ranks wrote their dumps there"},
                   {"orrery hang /tmp/nccl_trace_rank_*", "the same, by the names that PyTorch gives them"}},
      .run = run_hang,
  };
  return verb;
}

}  // namespace orrery::cli
