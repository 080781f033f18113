// orrery convert: between everything that is read and written.
#include <fmt/format.h>

#include "base/units.h"
#include "cli/frame/load.h"
#include "cli/frame/verbs.h"
#include "cli/workloads/convert_source.h"
#include "job/write/conversion.h"
#include "report/counted.h"
#include "report/sheet.h"
#include "report/sheet_json.h"

namespace orrery::cli {
namespace {

void report_written(Invocation& invocation, const job::Source& source, const job::ConvertTarget& target,
                    const std::vector<job::WrittenFile>& files) {
  if (!invocation.json()) {
    for (const job::WrittenFile& file : files) {
      invocation.text() += file.nodes == 0
                               ? fmt::format("wrote {}\n", file.path)
                               : fmt::format("wrote {}: {}\n", file.path, report::counted(file.nodes, "node"));
    }
    return;
  }
  report::Sheet sheet("files");
  sheet.add({.name = "path"}).add({.name = "nodes", .type = report::Type::integer});
  for (const job::WrittenFile& file : files)
    sheet.add_row({file.path, file.nodes == 0 ? report::Cell(nullptr) : report::Cell(file.nodes)});
  invocation.data().field("from", source.format->name).field("to", to_string(target.format));
  write_sheet(invocation.data(), sheet);
}

ExitCode run_convert(Invocation& invocation) {
  if (invocation.operands().empty() && first_given(invocation, {"input", "input_filename"}).empty())
    return invocation.fail_usage({"no input given", "orrery convert IN -o OUT"});
  const Result<job::Source> source = find_convert_source(invocation);
  if (!source) return invocation.fail(source.error());
  const std::string output = first_given(invocation, {"output", "output_filename"});
  if (output.empty())
    return invocation.fail_usage({"no output given", "-o FILE, or -o PREFIX for PREFIX.0.et, PREFIX.1.et, ..."});
  const std::optional<job::TargetFormat> wanted =
      invocation.has("to") ? job::target_format_called(invocation.text("to")) : std::nullopt;
  const job::ConvertOptions options = convert_options(invocation);
  const Result<job::ConvertTarget> target = job::choose_target(*source, output, wanted, options.like_chakra);
  if (!target) return invocation.fail(target.error());
  job::Reading reading{.diagnostics = invocation.diagnostics(), .salvage = invocation.has("salvage")};
  // The files of the source were told when they were found.
  reading.on_input = [&](const std::string& path) {
    return path == options.workload.groups_file ? invocation.add_input(path) : Status();
  };
  const Result<std::vector<job::WrittenFile>> files = job::convert(*source, *target, options, reading);
  if (!files) return invocation.fail(files.error());
  report_written(invocation, *source, *target, *files);
  return ExitCode::ok;
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
