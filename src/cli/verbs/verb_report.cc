// orrery report: one page with everything, for people.
#include "ask/graphs/report.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"

namespace orrery::cli {
namespace {

ExitCode run_report(Invocation& invocation) {
  ask::ReportRequest request;
  request.graph.recording.files = invocation.operands();
  return answer(invocation, std::move(request));
}

}  // namespace

const Verb& report_verb() {
  static const Verb verb = {
      .name = "report",
      .summary = "one page with verdict, what-if and timeline, for a browser",
      .description =
          "Writes one HTML file that needs nothing else: what bounds the step and how far to trust that, what would "
          "help, sliders that "
          "solve the "
          "step again, and every event on a timeline with its slack and what it waited for. Nothing is asked of any "
          "network. Of several "
          "ranks it is "
          "the page of the whole job; of several runs, which share nothing, the page of the first, or of --rank, with "
          "all of them side by "
          "side.\n\n"
          "Of a snapshot of PyTorch's allocator (torch.cuda.memory._dump_snapshot) it is the page of the memory: "
          "allocated bytes over time, what fills the peak, what leaks, and what lies idle in pieces.",
      .operands = {.name = "TRACE...",
                   .help = "files, folders or globs; several are several ranks; or one memory snapshot",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_job_flags({
          Flag{.name = "rank",
               .value_name = "N",
               .kind = ValueKind::integer,
               .help = "of this rank alone",
               .group = "Window"},
          Flag{.name = "against",
               .value_name = "TRACE",
               .kind = ValueKind::file,
               .help = "an earlier run: the page says what changed since; may be given again for further ranks",
               .repeatable = true},
          Flag{.name = "device",
               .value_name = "NAME",
               .help = "a device, by its name (h200) or file: the page says which operators lose most time against "
                       "its roof"},
          Flag{.name = "max-events",
               .value_name = "N",
               .kind = ValueKind::count,
               .help = "events on the timeline at most; beyond, the shortest off the path are left out",
               .default_text = "4000000"},
          Flag{.name = "title", .value_name = "TEXT", .help = "beside the program's name (default: the file's name)"},
      }),
      .examples = {{"orrery report trace.json.gz", "report.html: open it in a browser"},
                   {"orrery report traces/ -o job.html", "all ranks on one clock"},
                   {"orrery report new.json.gz --against old.json.gz", "what changed between two runs"},
                   {"orrery report snapshot.pickle -o memory.html",
                    "what fills the memory, over time and at its peak"}},
      .output_help = "the page (default: report.html)",
      .run = run_report,
  };
  return verb;
}

}  // namespace orrery::cli
