// orrery convert: between everything that is read and written.
#include "ask/files/convert.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"
#include "formats/chakra/dialect.h"

namespace orrery::cli {
namespace {

constexpr std::string_view kChakraFlags = "Flags of Chakra's tools, so that scripts keep working";

ExitCode run_convert(Invocation& invocation) {
  ask::ConvertRequest request;
  request.files = invocation.operands();
  return answer(invocation, std::move(request));
}

/// Those that say what is read and how, among them those of Chakra's own tools.
std::vector<Flag> convert_source_flags() {
  return {
      Flag{.name = "from",
           .value_name = "FORMAT",
           .help = "what the input is; by default its content tells",
           .choices = "kineto host linked chakra feeder text goal log xspace ampip liballprof ti"},
      Flag{.name = "schema",
           .value_name = "VERSION",
           .help = "of a Chakra file that does not say it: what its enumerators mean",
           .choices = chakra::kSchemaNames},
      Flag{.name = "ranks",
           .value_name = "N",
           .kind = ValueKind::count,
           .help = "of a text workload or log: how many ranks"},
      Flag{.name = "passes",
           .value_name = "N",
           .kind = ValueKind::count,
           .help = "of a text workload: how many times",
           .default_text = "1"},
      Flag{.name = "comm-group",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "of Chakra files: the groups, as ASTRA-sim has them"},
      Flag{.name = "frequency",
           .value_name = "MHZ",
           .kind = ValueKind::count,
           .help = "of a log: cycles per microsecond",
           .default_text = "1000"},
      Flag{.name = "input",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "the same as FILE",
           .group = kChakraFlags},
      Flag{.name = "input_filename",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "the same as FILE",
           .group = kChakraFlags},
      Flag{.name = "output_filename",
           .value_name = "FILE",
           .kind = ValueKind::output,
           .help = "the same as --output",
           .group = kChakraFlags},
      Flag{.name = "num-npus",
           .value_name = "N",
           .kind = ValueKind::count,
           .help = "the same as --ranks",
           .group = kChakraFlags},
      Flag{.name = "num_npus",
           .value_name = "N",
           .kind = ValueKind::count,
           .help = "the same as --ranks",
           .group = kChakraFlags},
      Flag{.name = "num-passes",
           .value_name = "N",
           .kind = ValueKind::count,
           .help = "the same as --passes",
           .group = kChakraFlags},
      Flag{.name = "npu_frequency",
           .value_name = "MHZ",
           .kind = ValueKind::count,
           .help = "the same as --frequency",
           .group = kChakraFlags},
      Flag{.name = "log-filename",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "not written",
           .group = kChakraFlags},
      Flag{.name = "log_filename",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "not written",
           .group = kChakraFlags},
      Flag{.name = "simulate", .help = "of no effect: orrery replay does it", .group = kChakraFlags},
  };
}

}  // namespace

const Verb& convert_verb() {
  static const Verb verb = {
      .name = "convert",
      .summary = "between formats",
      .description =
          "Reads profiler traces (Kineto, XSpace), host traces alone or linked (PyTorch execution traces), Chakra "
          "execution traces of "
          "every "
          "schema, "
          "the JSON of Chakra's feeder, ASTRA-sim 1.0's text workloads, GOAL schedules and ASTRA-sim's logs; writes "
          "Chakra, feeder JSON, "
          "readable JSON lines, protobuf's JSON, DOT, GraphML, a timeline for Perfetto as JSON or in its own format "
          "(.pftrace, with the "
          "critical path and arrows), or GOAL. The formats are told by the content of "
          "the "
          "input and the ending of the output (.et, .et.gz, .json, .jsonl, .dot, .graphml, .goal, .pftrace), or by "
          "--from and --to.\n\n"
          "From Chakra to Chakra, fields that are not known stay as they are. With --compat chakra the output is that "
          "of Chakra's own "
          "converter, jsonizer, visualizer and timeline_visualizer.",
      .operands = {.name = "[IN...]",
                   .help = "a file, files of several ranks, or PREFIX of PREFIX.0.et, PREFIX.1.et, ...",
                   .min = 0,
                   .max = Operands::kUnlimited},
      .flags =
          [] {
            std::vector<Flag> flags = {
                Flag{.name = "to",
                     .value_name = "FORMAT",
                     .help = "what to write; by default the ending of the output tells",
                     .choices = job::kTargetFormats},
                Flag{.name = "compat", .value_name = "TOOL", .help = "write what TOOL writes", .choices = "chakra"},
                Flag{.name = "for", .value_name = "READER", .help = job::kForHelp, .choices = "astra"}};
            for (Flag& flag : convert_source_flags()) flags.push_back(flag);
            flags.push_back(without_profiler_flag());
            return with_input_flags(std::move(flags));
          }(),
      .examples = {{"orrery convert step.0.et -o step.dot", "a drawing for Graphviz"},
                   {"orrery convert old/step -o new/step", "every rank's file, brought to today's schema"},
                   {"orrery convert --ranks 16 --passes 2 Resnet50_DataParallel.txt -o et/resnet",
                    "a text workload as Chakra traces"},
                   {"orrery convert traces/ -o job.pftrace.gz",
                    "all ranks for ui.perfetto.dev, with launches, messages and the critical path"},
                   {"orrery convert rank0.kineto.json.gz rank0.et.json.gz -o job.0.et",
                    "a profiler trace with its host trace, linked"}},
      .output_help = "the file to write; for several ranks what their names begin with (PREFIX.0.et, PREFIX.1.et, ...)",
      .run = run_convert,
  };
  return verb;
}

}  // namespace orrery::cli
