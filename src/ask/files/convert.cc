#include "ask/files/convert.h"

#include <fmt/format.h>

#include "ask/graphs/unprofiled.h"
#include "job/read/registry.h"
#include "report/counted.h"

namespace orrery::ask {

Status parse_source_format(std::string_view name, const formats::Format*& format) {
  // A linked trace is a host trace with times.
  format = job::format_called(name == "linked" ? "host" : name);
  if (format == nullptr) return misuse(fmt::format("no format is called '{}'", name));
  return {};
}

Status parse_target_format(std::string_view name, std::optional<job::TargetFormat>& format) {
  format = job::target_format_called(name);
  if (!format) return misuse(fmt::format("no format is called '{}'", name), std::string(job::kTargetFormats));
  return {};
}

namespace {

std::vector<std::string> inputs_to_convert(const ConvertRequest& request) {
  std::vector<std::string> names = request.files;
  if (request.input.empty()) return names;
  // chakra_converter PyTorch --input FILE: the name of the converter stands where files stand.
  std::erase_if(names, [](const std::string& name) { return name == "PyTorch" || name == "Text"; });
  names.push_back(request.input);
  return names;
}

report::Sheet converted_files_sheet(const std::vector<job::WrittenFile>& files) {
  report::Sheet sheet("files");
  sheet.add({.name = "path"}).add({.name = "nodes", .type = report::Type::integer});
  for (const job::WrittenFile& file : files)
    sheet.add_row({file.path, file.nodes == 0 ? report::Cell(nullptr) : report::Cell(file.nodes)});
  return sheet;
}

}  // namespace

Result<report::Answer> run(const ConvertRequest& request, Context& context) {
  if (request.files.empty() && request.input.empty()) return misuse("no input given", "orrery convert IN -o OUT");
  const auto source = job::find_source(inputs_to_convert(request), {.format = request.from}, context.diagnostics());
  if (!source) return source.error();
  for (const std::string& file : source->all_files()) {
    if (const Status added = context.add_input(file); !added) return added.error();
  }
  if (request.output.empty())
    return misuse("no output given", "-o FILE, or -o PREFIX for PREFIX.0.et, PREFIX.1.et, ...");
  const auto target = job::choose_target(*source, request.output, request.to, request.options.like_chakra);
  if (!target) return target.error();
  job::Reading reading{.diagnostics = context.diagnostics(), .salvage = request.salvage};
  if (request.without_profiler) reading.retime = [&](trace::Trace& trace) { return retime(context, trace); };
  // The files of the source were told when they were found.
  reading.on_input = [&](const std::string& path) {
    return path == request.options.workload.groups_file ? context.add_input(path) : Status();
  };
  const auto files = job::convert(*source, *target, request.options, reading);
  if (!files) return files.error();
  report::Answer answer = context.answer();
  for (const job::WrittenFile& file : *files) {
    const std::string nodes = file.nodes == 0 ? "" : ": " + report::counted(file.nodes, "node");
    answer.line(fmt::format("wrote {}{}", file.path, nodes));
  }
  answer.facts().field("from", source->format->name).field("to", to_string(target->format));
  answer.table(converted_files_sheet(*files), {.readers = report::Readers::programs_and_tables});
  return answer;
}

}  // namespace orrery::ask
