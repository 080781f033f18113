#include "job/write/conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/diagnostics.h"
#include "base/io/file_content.h"
#include "base/io/input.h"
#include "base/io/output_file.h"
#include "base/io/output_set.h"
#include "base/limits.h"
#include "base/result.h"
#include "formats/astra_text/text_workload.h"
#include "formats/chakra/converter.h"
#include "formats/chakra/feeder_writer.h"
#include "formats/chakra/timeline_log.h"
#include "formats/chakra/upgrade.h"
#include "formats/chakra/visualizer.h"
#include "formats/chakra/writer.h"
#include "formats/dot/writer.h"
#include "formats/graphml/writer.h"
#include "formats/pytorch_et/reader.h"
#include "job/pairs/linked_files.h"
#include "job/read/convert_target.h"
#include "job/read/shared_reading.h"
#include "job/read/source.h"
#include "job/read/trace_input.h"
#include "job/read/workload_input.h"
#include "job/recorded_job.h"
#include "job/write/packet_export.h"
#include "job/write/trace_export.h"
#include "job/write/workload_export.h"
#include "job/write/workload_trace.h"
#include "report/counted.h"

// There are three ways from files to files. Chakra's own tools are imitated byte for byte; Chakra files are copied
// message by message, so that what is not known here is kept; everything else goes through a Workload, or a Trace where
// what happened is asked for.

namespace orrery::job {

// The files that Chakra's own tools write: converter, jsonizer, visualizer.

/// Byte for byte. An Error (Remedy::without_compat) if Chakra has no tool that makes the one of the other. Whoever
/// calls it holds an OutputSet, so that the files of all ranks appear together.
Result<std::vector<WrittenFile>> write_like_chakra(const Source& source, const ConvertTarget& target,
                                                   const WorkloadRequest& request, Diagnostics& diagnostics);

namespace {

using Files = std::vector<WrittenFile>;

Result<Files> convert_text(const Source& source, const ConvertTarget& target, const WorkloadRequest& request) {
  const Result<astra_text::TextWorkload> text = astra_text::read(source.files[0]);
  if (!text) return text.error();
  astra_text::Options how;
  if (request.ranks != 0) how.ranks = request.ranks;
  how.passes = request.passes;
  const Result<workload::Workload> workload = astra_text::to_chakra_workload(*text, how);
  if (!workload) return workload.error();
  chakra::WriteOptions options;
  options.version = "";  // Chakra writes none, and its bytes are what is asked for
  options.host_attribute = false;
  options.metadata = {{"schema", "1.0.2-chakra.1.0.0"}, {"input_file", text->text}};
  Files files;
  for (std::size_t rank = 0; rank < workload->rank_count(); ++rank) {
    files.push_back({target.file(rank), workload->program(rank).size()});
    if (const Status written = chakra::write_rank(*workload, rank, files.back().path, options); !written)
      return written.error();
  }
  return files;
}

Result<Files> convert_linked(const Source& source, const ConvertTarget& target, Diagnostics& diagnostics) {
  Files files;
  for (std::size_t rank = 0; rank < source.files.size(); ++rank) {
    Interner strings;
    const Result<trace::HostTrace> linked = pytorch_et::read_host_trace(source.files[rank], strings, diagnostics);
    if (!linked) return linked.error();
    const Result<std::string> bytes = chakra::convert_linked_trace(*linked, strings);
    if (!bytes) return bytes.error();
    files.push_back({target.file(rank), 0});
    if (const Status written = write_whole_file(files.back().path, *bytes); !written) return written.error();
  }
  return files;
}

Result<Files> export_chakra(const Source& source, const ConvertTarget& target, const std::string& schema) {
  const auto write = target.format == TargetFormat::json  ? chakra::jsonize
                     : target.format == TargetFormat::dot ? chakra::visualize_dot
                                                          : chakra::visualize_graphml;
  Files files;
  for (std::size_t rank = 0; rank < source.files.size(); ++rank) {
    const std::string& from = source.files[rank];
    const Result<std::string> bytes = read_whole_file(from, kMaxRecordingBytes);
    if (!bytes) return bytes.error();
    files.push_back({target.file(rank), 0});
    Result<OutputFile> out = OutputFile::create(files.back().path);
    if (!out) return out.error();
    if (const Status written = write(*bytes, from, schema, *out); !written) return written.error();
    if (const Status committed = out->commit(); !committed) return committed.error();
  }
  return files;
}

}  // namespace

Result<Files> write_like_chakra(const Source& source, const ConvertTarget& target, const WorkloadRequest& request,
                                Diagnostics& diagnostics) {
  const bool is_drawing = target.format == TargetFormat::json || target.format == TargetFormat::dot ||
                          target.format == TargetFormat::graphml;
  if (is_format(source, "text") && target.format == TargetFormat::et) return convert_text(source, target, request);
  if (is_format(source, "host") && target.format == TargetFormat::et)
    return convert_linked(source, target, diagnostics);
  if (is_format(source, "chakra") && is_drawing) return export_chakra(source, target, request.schema);
  return Error{
      .message = fmt::format("Chakra has no tool that makes {} of {}", to_string(target.format), source.format->name),
      .file = source.files[0],
      .remedy = Remedy::without_compat};
}

namespace {

using Files = std::vector<WrittenFile>;

/// `write` fills the file, which is then put in its place.
template <typename Write>
Status write_file(const std::string& path, const Write& write) {
  Result<OutputFile> out = OutputFile::create(path);
  if (!out) return out.error();
  if (Status written = write(*out); !written) return written;
  return out->commit();
}

/// From message to message: what is not known stays.
Status copy_chakra(const std::string& from, const std::string& schema, const std::string& to) {
  const Result<FileContent> file = FileContent::open(from);
  if (!file) return file.error();
  return write_file(to, [&](OutputFile& out) {
    return chakra::upgrade(file->bytes(), from, schema, [&](std::string_view message, bool) -> Status {
      chakra::write_record(message, out);
      return {};
    });
  });
}

/// Host traces keep what the graph does not hold.
chakra::WriteOptions write_options(const WorkloadInput& input) {
  chakra::WriteOptions options;
  if (input.job.is_retimed) options.metadata.push_back(chakra::without_profiler_metadata());
  std::vector<std::vector<std::int64_t>> callers;
  for (const trace::HostTrace& host : input.hosts.empty() ? input.job.hosts : input.hosts)
    callers.push_back(calling_functions(host));
  if (!input.hosts.empty()) {
    options.details = [&input, callers = std::move(callers), rows = std::vector<std::vector<std::uint32_t>>()](
                          std::size_t rank, std::size_t activity, chakra::NodeDetails& details) mutable {
      const trace::HostTrace& host = input.hosts[rank];
      rows.resize(input.hosts.size());
      if (rows[rank].empty()) {  // activities are by id
        rows[rank].resize(host.size());
        for (std::uint32_t row = 0; row < host.size(); ++row) rows[rank][row] = row;
        std::stable_sort(rows[rank].begin(), rows[rank].end(),
                         [&](std::uint32_t a, std::uint32_t b) { return host.id[a] < host.id[b]; });
      }
      add_row_details(host, rows[rank][activity], callers[rank], input.workload.strings, details);
    };
  } else if (!input.job.hosts.empty()) {
    options.details = [&input, callers = std::move(callers)](std::size_t rank, std::size_t activity,
                                                             chakra::NodeDetails& details) {
      const std::uint32_t row = input.job.ranks[rank].host_row[activity];
      if (row != causal::kNoRow)
        add_row_details(input.job.hosts[rank], row, callers[rank], input.job.trace.strings, details);
    };
  }
  return options;
}

Status write_lines(const WorkloadInput& input, std::size_t rank, const std::string& path, bool like_protobuf) {
  const Result<std::string> bytes = chakra::to_protobuf(input.workload, rank, write_options(input));
  if (!bytes) return bytes.error();
  return write_file(path, [&](OutputFile& out) {
    return like_protobuf ? chakra::jsonize(*bytes, path, {}, out) : chakra::write_json_lines(*bytes, path, {}, out);
  });
}

Status write_rank(const Source& source, const WorkloadInput& input, const ConvertTarget& target,
                  const ConvertOptions& options, Diagnostics& diagnostics, std::size_t rank) {
  const std::string path = target.file(rank);
  const std::string& schema = options.workload.schema;
  // What is written for somebody is not what was read, message by message.
  const bool is_chakra =
      is_format(source, "chakra") && !source.files[rank].ends_with(".json") && options.reader == Reader::anyone;
  switch (target.format) {
    case TargetFormat::et:
      if (is_chakra) return copy_chakra(source.files[rank], schema, path);
      return chakra::write_rank(input.workload, rank, path, write_options(input));
    case TargetFormat::feeder: return chakra::write_feeder_json(input.workload, rank, path);
    case TargetFormat::json:
    case TargetFormat::jsonl: {
      const bool like_protobuf = target.format == TargetFormat::json;
      if (!is_chakra) return write_lines(input, rank, path, like_protobuf);
      const Result<FileContent> file = FileContent::open(source.files[rank]);
      if (!file) return file.error();
      const auto write = like_protobuf ? chakra::jsonize : chakra::write_json_lines;
      return write_file(path, [&](OutputFile& out) { return write(file->bytes(), source.files[rank], schema, out); });
    }
    case TargetFormat::dot: return dot::write_rank(input.workload, rank, path);
    case TargetFormat::graphml: return graphml::write_rank(input.workload, rank, path);
    case TargetFormat::timeline: return write_timeline(input.workload, path, diagnostics);
    case TargetFormat::goal: return write_goal(input.workload, path);
    case TargetFormat::pftrace: break;  // of what happened: write_packets
  }
  return {};
}

/// Beside Chakra files that name groups, the groups, as ASTRA-sim reads them.
Status write_groups(const ConvertTarget& target, const workload::Workload& workload, Files& files) {
  const bool is_chakra = target.format == TargetFormat::et || target.format == TargetFormat::feeder;
  // To standard output there is no place beside the file.
  if (!is_chakra || workload.groups.empty() || is_standard_output(target.path)) return {};
  const std::string_view ending = target.file_per_rank ? std::string_view() : format_ending(target.path);
  const std::string path = target.path.substr(0, target.path.size() - ending.size()) + ".groups.json";
  files.push_back({path, 0});
  return write_whole_file(path, chakra::groups_json(workload));
}

Result<Files> write_log_timeline(const Source& source, const ConvertTarget& target, const ConvertOptions& options,
                                 Diagnostics& diagnostics) {
  const Result<FileContent> log = FileContent::open(source.files[0]);
  if (!log) return log.error();
  chakra::TimelineOptions how;
  if (options.workload.ranks != 0) how.ranks = options.workload.ranks;
  how.frequency_mhz = options.frequency_mhz;
  how.like_chakra = options.like_chakra;
  const Status written = write_file(target.path, [&](OutputFile& out) {
    return chakra::write_timeline(log->bytes(), source.files[0], how, diagnostics, out);
  });
  if (!written) return written.error();
  return Files{{target.path, 0}};
}

/// What was recorded, as it was recorded. Of Kineto traces that is their own file: a timeline of them is one of their
/// programs.
bool has_recorded_timeline(const Source& source) {
  return source.format->content == formats::Content::trace && !is_format(source, "kineto");
}

Result<Files> write_recorded_timeline(const Source& source, const ConvertTarget& target, const Reading& reading) {
  Result<trace::Trace> job =
      read_traces(*source.format, source.files, reading.diagnostics, {.salvage = reading.salvage, .positions = false});
  if (!job) return job.error();
  if (reading.retime) {
    if (const Status retimed = reading.retime(*job); !retimed) return retimed.error();
  }
  if (const Status written = export_trace(*job, target.path); !written) return written.error();
  return Files{{target.path, 0}};
}

/// What was recorded; of programs, what a replay of them would record.
Result<trace::Trace> read_as_trace(const Source& source, const ConvertOptions& options, const Reading& reading) {
  if (source.format->content == formats::Content::trace || source.format->content == formats::Content::host_trace) {
    Result<TraceInput> input = read_trace(source, {.far_clocks = true, .launch_arrows = true}, reading);
    if (!input) return input.error();
    return std::move(input->trace);
  }
  WorkloadRequest request = options.workload;
  request.complete = false;
  Result<WorkloadInput> programs = read_workload(source, request, reading);
  if (!programs) return programs.error();
  return trace_of(std::move(programs->workload), programs->rank_numbers, source.files, source.format->name);
}

Result<Files> write_packets(const Source& source, const ConvertTarget& target, const ConvertOptions& options,
                            const Reading& reading) {
  Result<trace::Trace> trace = read_as_trace(source, options, reading);
  if (!trace) return trace.error();
  Status written;
  // Runs stand beside one another as they were recorded: nothing puts them on one clock.
  if (trace->ranks.size() < 2 || trace->ranks.front().source.is_run) {
    written = export_packets(*trace, nullptr, target.path, reading.diagnostics);
  } else {
    const Result<RecordedJob> job = RecordedJob::make(std::move(*trace), ClockChoice::automatic, reading.diagnostics);
    if (!job) return job.error();
    written = export_packets(job->trace(), &*job, target.path, reading.diagnostics);
  }
  if (!written) return written.error();
  return Files{{target.path, 0}};
}

Result<Files> write_ranks(const Source& source, const ConvertTarget& target, const ConvertOptions& options,
                          const Reading& reading) {
  WorkloadRequest request = options.workload;
  // Chakra's unit is a microsecond: rounding each time by itself would add up to another step.
  request.whole_microseconds = target.format == TargetFormat::et;
  // One rank's file is converted on its own; of a job none may be missing.
  request.complete = source.is_prefix || source.files.size() > 1;
  Result<WorkloadInput> input = read_workload(source, request, reading);
  if (!input) return input.error();
  if (options.reader == Reader::astra)
    input->workload = workload_for_astra(std::move(input->workload), reading.diagnostics);
  const workload::Workload& workload = input->workload;
  OutputSet outputs;
  Files files;
  // Formats that hold all ranks are one file.
  const std::size_t count = is_for_all_ranks(target.format) ? 1 : workload.rank_count();
  if (count > 1 && !target.file_per_rank) {
    return Error{fmt::format("{} are as many files, and {} is one", report::counted(count, "rank"), target.path),
                 source.files[0], Error::kNoOffset, "name what the files of all ranks begin with", Error::Kind::misuse};
  }
  for (std::size_t rank = 0; rank < count; ++rank) {
    if (const Status written = write_rank(source, *input, target, options, reading.diagnostics, rank); !written)
      return written.error();
    files.push_back({target.file(rank), count == workload.rank_count() ? workload.program(rank).size() : 0});
  }
  if (const Status written = write_groups(target, workload, files); !written) return written.error();
  // All files appear together, or none: half a job would be taken for a whole one.
  if (const Status published = outputs.publish(); !published) return published.error();
  return files;
}

}  // namespace

Result<Files> convert(const Source& source, const ConvertTarget& target, const ConvertOptions& options,
                      const Reading& reading) {
  if (is_format(source, "log")) return write_log_timeline(source, target, options, reading.diagnostics);
  if (options.like_chakra) return write_like_chakra(source, target, options.workload, reading.diagnostics);
  if (target.format == TargetFormat::pftrace) return write_packets(source, target, options, reading);
  if (has_recorded_timeline(source) && target.format == TargetFormat::timeline)
    return write_recorded_timeline(source, target, reading);
  return write_ranks(source, target, options, reading);
}

}  // namespace orrery::job
