// orrery link: one causal graph out of host and device traces.
#include "ask/workloads/link.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"

namespace orrery::cli {
namespace {

ExitCode run_link(Invocation& invocation) {
  ask::LinkRequest request;
  request.files = invocation.operands();
  return answer(invocation, std::move(request));
}

}  // namespace

const Verb& link_verb() {
  static const Verb verb = {
      .name = "link",
      .summary = "one causal graph out of host and device traces",
      .description =
          "Brings together the PyTorch execution trace (operators, shapes, tensors) and the profiler trace (times, "
          "kernels) of each rank, "
          "and "
          "makes the graph that a simulator needs: host and device activities with real starts, delays, collectives "
          "with type, size and "
          "group, "
          "and dependencies that replay to the measured time. The residual of that replay is printed with every "
          "link.\n\n"
          "With --compat chakra, what chakra_trace_link and chakra_converter 1.0.0 make of the same files: an "
          "execution trace (.et) byte "
          "for byte, a linked "
          "host trace (.json) value for value, with other white space and order of members.",
      .operands = {.name = "[TRACE...]",
                   .help = "files, folders or globs with both kinds of traces (x.et.json and x.kineto.json); several "
                           "are several ranks",
                   .min = 0,
                   .max = Operands::kUnlimited},
      .flags = with_input_flags({
          Flag{.name = "host",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "host trace (PyTorch execution trace)",
               .repeatable = true},
          Flag{.name = "device",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "profiler trace (Kineto)",
               .repeatable = true},
          Flag{.name = "rank",
               .value_name = "N",
               .kind = ValueKind::integer,
               .help = "of one pair: the rank it is; of several: only this one"},
          without_profiler_flag(),
          csv_flag(),
          Flag{.name = "compat",
               .value_name = "TOOL",
               .help = "reproduce the answer of TOOL exactly, defects included",
               .choices = "chakra"},
          Flag{.name = "for", .value_name = "READER", .help = job::kForHelp, .choices = "astra"},
          Flag{.name = "least-coverage",
               .value_name = "PERCENT",
               .kind = ValueKind::number,
               .help = "refuse a host trace of which less was found in the profiler trace: it is of another run",
               .default_text = "10"},
          Flag{.name = "chakra-host-trace",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "the same as --host",
               .group = "Flags of chakra_trace_link"},
          Flag{.name = "chakra-device-trace",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "the same as --device",
               .group = "Flags of chakra_trace_link"},
          Flag{.name = "output-file",
               .value_name = "FILE",
               .kind = ValueKind::output,
               .help = "the same as -o; a linked host trace unless FILE ends in .et",
               .group = "Flags of chakra_trace_link"},
          Flag{.name = "log-level",
               .value_name = "LEVEL",
               .help = "accepted, and ignored",
               .group = "Flags of chakra_trace_link"},
          Flag{.name = "input",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "a linked host trace, to be written to --output as chakra_converter PyTorch does",
               .group = "Flags of chakra_converter"},
          Flag{.name = "simulate",
               .help = "accepted, and ignored: see orrery replay",
               .group = "Flags of chakra_converter"},
          Flag{.name = "log-filename",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "accepted, and ignored",
               .group = "Flags of chakra_converter"},
      }),
      .examples = {{"orrery link --host x.et.json.gz --device x.kineto.json.gz -o x.et",
                    "one rank, as a Chakra execution trace"},
                   {"orrery link traces/ -o job", "every rank of a folder: job.0.et, job.1.et, ..."},
                   {"orrery link --host x.et.json --device x.kineto.json --compat chakra -o linked.json",
                    "what chakra_trace_link writes"}},
      .output_help =
          "FILE.et: Chakra execution trace; FILE.json: linked host trace; else what the ranks' files begin with "
          "(NAME.0.et)",
      .run = run_link,
  };
  return verb;
}

}  // namespace orrery::cli
