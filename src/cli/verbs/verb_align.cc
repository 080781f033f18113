// orrery align: put the traces of many nodes on one clock.
#include "ask/files/align.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"

namespace orrery::cli {
namespace {

ExitCode run_align(Invocation& invocation) {
  ask::AlignRequest request;
  request.recording.files = invocation.operands();
  return answer(invocation, std::move(request));
}

}  // namespace

const Verb& align_verb() {
  static const Verb verb = {
      .name = "align",
      .summary = "put these nodes on one clock",
      .description =
          "Every node stamps its trace with its own clocks. This finds how they relate, from probes, offsets, snapshot "
          "pairs of device and "
          "host clocks or, with nothing else, from the collectives in the traces, and writes the traces again on the "
          "clock of one node, "
          "with "
          "the uncertainty of every correction.\n\n"
          "Without any source nothing is written and the verb ends with 1.",
      .operands = {.name = "TRACE...",
                   .help = "XSpace (*.xplane.pb), Kineto (*.json) or liborrery_mpi (*.mpitrace) files, or folders of "
                           "them; one file per node or rank",
                   .min = 0,
                   .max = Operands::kUnlimited},
      .flags = with_input_flags({
          Flag{.name = "probes",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "exchanges of packets between nodes (JSON lines)",
               .repeatable = true,
               .group = "Sources"},
          Flag{.name = "probe-windows",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "fits per window and pair of nodes (JSON lines)",
               .repeatable = true,
               .group = "Sources"},
          Flag{.name = "offsets",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "offsets against node 0 per round (JSON lines)",
               .repeatable = true,
               .group = "Sources"},
          Flag{.name = "snapshots",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "pairs of readings of a node's device and host clocks",
               .repeatable = true,
               .group = "Sources"},
          Flag{.name = "snapshot_pairs",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "the same as --snapshots",
               .repeatable = true,
               .group = "Flags of xprof_trace_align"},
          Flag{.name = "trace",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "a trace, as an operand",
               .repeatable = true,
               .group = "Flags of xprof_trace_align"},
          Flag{.name = "reference",
               .value_name = "NODE",
               .kind = ValueKind::count,
               .help = "whose host clock to use",
               .default_text = "0"},
          Flag{.name = "ranks-per-node",
               .value_name = "N",
               .kind = ValueKind::count,
               .help = "ranks 0 to N-1 share the clock of node 0, and so on; files named as PyTorch's profiler names "
                       "them say it themselves"},
          Flag{.name = "merge",
               .value_name = "FILE",
               .kind = ValueKind::output,
               .help = "also write all nodes into one file (XSpace)"},
          Flag{.name = "perfetto",
               .value_name = "FILE",
               .kind = ValueKind::output,
               .help = "also write all nodes as one timeline for Perfetto"},
          Flag{.name = "clc",
               .help = "as a last resort bend the clocks until no collective contradicts happens-before, and say what "
                       "it cost"},
          Flag{.name = "force", .help = "copy the traces even if nothing tells how their clocks relate"},
          csv_flag(),
          Flag{.name = "dry-run", .help = "say what would be done, write nothing"},
          Flag{.name = "undo", .help = "restore files that were aligned before"},
      }),
      .examples = {{"orrery align run/*.xplane.pb -o aligned", "traces of one job, from their own collectives"},
                   {"orrery align run/*.xplane.pb --probes probes.0.jsonl --probes probes.1.jsonl -o aligned",
                    "the same, from measured packets"}},
      .output_help = "the folder for the aligned files; of one trace also the file",
      .run = run_align,
  };
  return verb;
}

}  // namespace orrery::cli
