#include "cli/convert_target.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file_content.h"
#include "base/input.h"
#include "base/output_file.h"
#include "base/output_set.h"
#include "cli/host_row_details.h"
#include "formats/chakra/feeder_writer.h"
#include "formats/chakra/timeline_log.h"
#include "formats/chakra/upgrade.h"
#include "formats/chakra/visualizer.h"
#include "formats/chakra/writer.h"
#include "formats/dot/writer.h"
#include "formats/goal/writer.h"
#include "formats/graphml/writer.h"
#include "formats/xspace/reader.h"
#include "job/trace_export.h"
#include "job/workload_timeline.h"
#include "simulate/loggops/collectives.h"

namespace orrery::cli {
namespace {

using Files = std::vector<WrittenFile>;

std::string_view usual_ending(TargetFormat format) {
  switch (format) {
    case TargetFormat::et: return ".et";
    case TargetFormat::jsonl: return ".jsonl";
    case TargetFormat::dot: return ".dot";
    case TargetFormat::graphml: return ".graphml";
    case TargetFormat::goal: return ".goal";
    case TargetFormat::feeder:
    case TargetFormat::json:
    case TargetFormat::timeline: return ".json";
  }
  return "";
}

bool is_for_all_ranks(TargetFormat format) { return format == TargetFormat::timeline || format == TargetFormat::goal; }

/// `write` fills the file, which is then put in its place.
template <typename Write>
Status write_file(const std::string& path, const Write& write) {
  Result<OutputFile> out = OutputFile::create(path);
  if (!out) return out.error();
  if (Status written = write(*out); !written) return written;
  return out->commit();
}

/// From message to message: what is not known stays.
Status copy_chakra(const Invocation& invocation, const std::string& from, const std::string& to) {
  const Result<FileContent> file = FileContent::open(from);
  if (!file) return file.error();
  return write_file(to, [&](OutputFile& out) {
    return chakra::upgrade(file->bytes(), from, invocation.text("schema"), [&](std::string_view message, bool) -> Status {
      chakra::write_record(message, out);
      return {};
    });
  });
}

/// Host traces keep what the graph does not hold.
chakra::WriteOptions write_options(const job::WorkloadInput& input) {
  chakra::WriteOptions options;
  if (!input.hosts.empty()) {
    options.details = [&input, rows = std::vector<std::vector<std::uint32_t>>()](std::size_t rank, std::size_t activity,
                                                                                 chakra::NodeDetails& details) mutable {
      const trace::HostTrace& host = input.hosts[rank];
      rows.resize(input.hosts.size());
      if (rows[rank].empty()) {  // activities are by id
        rows[rank].resize(host.size());
        for (std::uint32_t row = 0; row < host.size(); ++row) rows[rank][row] = row;
        std::stable_sort(rows[rank].begin(), rows[rank].end(), [&](std::uint32_t a, std::uint32_t b) { return host.id[a] < host.id[b]; });
      }
      add_row_details(host, rows[rank][activity], input.workload.strings, details);
    };
  } else if (!input.job.hosts.empty()) {
    options.details = [&input](std::size_t rank, std::size_t activity, chakra::NodeDetails& details) {
      const std::uint32_t row = input.job.ranks[rank].host_row[activity];
      if (row != link::kNoRow) add_row_details(input.job.hosts[rank], row, input.job.trace.strings, details);
    };
  }
  return options;
}

/// The tags of messages that collectives were replaced by are beyond those of others, and beyond GOAL's 32 bits.
std::int64_t goal_tag(std::int64_t tag) {
  constexpr std::int64_t kFirstOfCollectives = std::int64_t{1} << 40, kFirstInGoal = std::int64_t{1} << 30;
  return tag >= kFirstOfCollectives ? tag - kFirstOfCollectives + kFirstInGoal : tag;
}

Status write_goal(const workload::Workload& workload, const std::string& path) {
  const auto cpu_of = [](const workload::Program& program, std::size_t i) { return program.cpus[i]; };
  const auto duration_of = [](const workload::Program& program, std::size_t i) { return program.duration_ps(i); };
  auto messages = simulate::loggops::replace_collectives(workload, {}, cpu_of, duration_of);
  if (!messages) return messages.error();
  for (workload::Program& program : messages->workload.programs) program.tags.update(goal_tag);
  const Result<std::string> text = goal::to_text(messages->workload);
  if (!text) return text.error();
  return write_whole_file(path, *text);
}

Status write_lines(const job::WorkloadInput& input, std::size_t rank, const std::string& path, bool like_protobuf) {
  const Result<std::string> bytes = chakra::to_protobuf(input.workload, rank, write_options(input));
  if (!bytes) return bytes.error();
  return write_file(path, [&](OutputFile& out) {
    return like_protobuf ? chakra::jsonize(*bytes, path, {}, out) : chakra::write_json_lines(*bytes, path, {}, out);
  });
}

Status write_rank(Invocation& invocation, const job::Source& source, const job::WorkloadInput& input, const ConvertTarget& target,
                  std::size_t rank) {
  const std::string path = target.file(rank);
  const bool is_chakra = is_format(source, "chakra") && !source.files[rank].ends_with(".json");
  switch (target.format) {
    case TargetFormat::et:
      if (is_chakra) return copy_chakra(invocation, source.files[rank], path);
      return chakra::write_rank(input.workload, rank, path, write_options(input));
    case TargetFormat::feeder: return chakra::write_feeder_json(input.workload, rank, path);
    case TargetFormat::json:
    case TargetFormat::jsonl: {
      const bool like_protobuf = target.format == TargetFormat::json;
      if (!is_chakra) return write_lines(input, rank, path, like_protobuf);
      const Result<FileContent> file = FileContent::open(source.files[rank]);
      if (!file) return file.error();
      const auto write = like_protobuf ? chakra::jsonize : chakra::write_json_lines;
      return write_file(path, [&](OutputFile& out) { return write(file->bytes(), source.files[rank], invocation.text("schema"), out); });
    }
    case TargetFormat::dot: return dot::write_rank(input.workload, rank, path);
    case TargetFormat::graphml: return graphml::write_rank(input.workload, rank, path);
    case TargetFormat::timeline: return job::write_timeline(input.workload, path, invocation.diagnostics());
    case TargetFormat::goal: return write_goal(input.workload, path);
  }
  return {};
}

/// Beside Chakra files that name groups, the groups, as ASTRA-sim reads them.
Status write_groups(const ConvertTarget& target, const workload::Workload& workload, Files& files) {
  const bool is_chakra = target.format == TargetFormat::et || target.format == TargetFormat::feeder;
  if (!is_chakra || workload.groups.empty() || is_standard_output(target.path)) return {};
  const std::string_view ending = target.file_per_rank ? std::string_view() : format_ending(target.path);
  const std::string path = target.path.substr(0, target.path.size() - ending.size()) + ".groups.json";
  files.push_back({path, 0});
  return write_whole_file(path, chakra::groups_json(workload));
}

chakra::TimelineOptions timeline_options(const Invocation& invocation) {
  chakra::TimelineOptions options;
  const std::string ranks = first_given(invocation, {"num_npus", "num-npus", "ranks"});
  if (!ranks.empty()) options.ranks = static_cast<std::size_t>(std::stoull(ranks));
  options.frequency_mhz = invocation.integer(invocation.has("npu_frequency") ? "npu_frequency" : "frequency");
  options.like_chakra = invocation.has("compat");
  return options;
}

Result<Files> write_log_timeline(Invocation& invocation, const job::Source& source, const ConvertTarget& target) {
  const Result<FileContent> log = FileContent::open(source.files[0]);
  if (!log) return log.error();
  const Status written = write_file(target.path, [&](OutputFile& out) {
    return chakra::write_timeline(log->bytes(), source.files[0], timeline_options(invocation), invocation.diagnostics(), out);
  });
  if (!written) return written.error();
  return Files{{target.path, 0}};
}

Result<Files> write_xspace_timeline(Invocation& invocation, const job::Source& source, const ConvertTarget& target) {
  const Result<trace::Trace> job =
      xspace::read_job(source.files, invocation.diagnostics(), {.salvage = invocation.has("salvage"), .positions = false});
  if (!job) return job.error();
  if (const Status written = job::export_trace(*job, target.path); !written) return written.error();
  return Files{{target.path, 0}};
}

}  // namespace

std::string ConvertTarget::file(std::size_t rank) const { return file_per_rank ? fmt::format("{}.{}{}", path, rank, ending) : path; }

std::optional<UsageError> choose_target(const Invocation& invocation, const job::Source& source, ConvertTarget& out) {
  out.path = first_given(invocation, {"output", "output_filename"});
  if (out.path.empty()) return UsageError{"no output given", "-o FILE, or -o PREFIX for PREFIX.0.et, PREFIX.1.et, ..."};
  const std::string_view ending = format_ending(out.path);
  const std::optional<TargetFormat> by_name = target_format_of_name(out.path);
  // Of a log the workload is not known, only what happened when; of an XSpace that is what is asked for as a rule.
  const bool is_timeline = is_format(source, "log") || is_format(source, "xspace");
  if (invocation.has("to")) out.format = *target_format_called(invocation.text("to"));
  else if (by_name) out.format = *by_name;
  else if (is_timeline) out.format = TargetFormat::timeline;
  else if (ending.starts_with(".json")) out.format = invocation.has("compat") ? TargetFormat::json : TargetFormat::feeder;
  else out.format = TargetFormat::et;
  if (is_format(source, "log") && out.format != TargetFormat::timeline)
    return UsageError{"of a log there is only a timeline", "--to timeline"};
  if (is_for_all_ranks(out.format)) return {};
  out.file_per_rank =
      source.is_prefix || source.files.size() > 1 || is_format(source, "text") || is_format(source, "goal") || ending.empty();
  if (!source.pairs.empty()) out.file_per_rank = source.pairs.size() > 1 || ending.empty();
  if (is_standard_output(out.path)) {
    // Of formats with a file per rank, a single one can go there; how many ranks a text or a schedule has is known when it is read.
    if (source.files.size() > 1 && source.pairs.size() != 1)
      return UsageError{"several ranks are several files, which standard output is not", "-o PREFIX"};
    out.file_per_rank = false;
  }
  if (!out.file_per_rank) return {};
  out.ending = ending.empty() ? usual_ending(out.format) : ending;
  out.path.resize(out.path.size() - ending.size());
  return {};
}

Result<Files> write_target(Invocation& invocation, const job::Source& source, const ConvertTarget& target) {
  if (is_format(source, "log")) return write_log_timeline(invocation, source, target);
  if (is_format(source, "xspace") && target.format == TargetFormat::timeline) return write_xspace_timeline(invocation, source, target);
  const Result<job::WorkloadInput> input = read_source(invocation, source, target.format == TargetFormat::et);
  if (!input) return input.error();
  const workload::Workload& workload = input->workload;
  OutputSet outputs;
  Files files;
  const std::size_t count = is_for_all_ranks(target.format) ? 1 : workload.rank_count();
  if (count > 1 && !target.file_per_rank) {
    return Error{fmt::format("{} ranks are as many files, and {} is one", count, target.path), source.files[0], Error::kNoOffset,
                 "name what the files of all ranks begin with", Error::Kind::misuse};
  }
  for (std::size_t rank = 0; rank < count; ++rank) {
    if (const Status written = write_rank(invocation, source, *input, target, rank); !written) return written.error();
    files.push_back({target.file(rank), count == workload.rank_count() ? workload.program(rank).size() : 0});
  }
  if (const Status written = write_groups(target, workload, files); !written) return written.error();
  if (const Status published = outputs.publish(); !published) return published.error();
  return files;
}

}  // namespace orrery::cli
