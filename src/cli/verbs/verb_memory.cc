// orrery memory: how fast are copies, or what fills the memory.
#include "ask/devices/memory.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"
#include "cli/verbs/device_flags.h"

namespace orrery::cli {
namespace {

ExitCode run_memory(Invocation& invocation) {
  ask::MemoryRequest request;
  request.devices.recording.files = invocation.operands();
  return answer(invocation, std::move(request));
}

}  // namespace

const Verb& memory_verb() {
  static const Verb verb = {
      .name = "memory",
      .summary = "how fast copies and sets are; or, of a memory timeline or snapshot, what fills the memory",
      .description =
          "Of a raw memory timeline of PyTorch's profiler: what fills the memory. Of traces: copies and sets by kind, "
          "with bytes, time, "
          "bytes over time, the spread over copies, and the rate of all that run "
          "together, over "
          "the time in which any runs.\n\n"
          "Of a snapshot of PyTorch's allocator (torch.cuda.memory._dump_snapshot): the peak to the byte, the lines "
          "and "
          "phases that fill it, what leaks, and what lies idle in pieces. Nothing in the pickle is executed.\n\n"
          "With --compat hta, the tables of Holistic Trace Analysis 0.6.1 to the last digit, its defects included.",
      .operands =
          {.name = "FILE...",
           .help = "traces (files, folders or globs; several are several ranks), or one memory timeline or snapshot",
           .min = 1,
           .max = Operands::kUnlimited},
      .flags = with_hta_flags(with_device_flags({
                                  Flag{.name = "top",
                                       .value_name = "N",
                                       .kind = ValueKind::count,
                                       .help = "show N rows; 0: all",
                                       .default_text = "10"},
                                  Flag{.name = "sort",
                                       .value_name = "COLUMN",
                                       .help = "which rows come first",
                                       .default_text = "time",
                                       .choices = "kind bytes time"},
                                  Flag{.name = "against",
                                       .value_name = "FILE",
                                       .kind = ValueKind::file,
                                       .help = "of a memory snapshot: another that its peak is compared with"},
                              }),
                              hta_memory_flags()),
      .examples = {{"orrery memory trace.json.gz", "copies and sets by kind"},
                   {"orrery memory snapshot.pickle", "what fills the memory at its peak, and what leaks"}},
      .run = run_memory,
  };
  return verb;
}

}  // namespace orrery::cli
