#include "job/read/convert_target.h"

#include <fmt/format.h>

#include "base/io/output_file.h"

namespace orrery::job {
namespace {

std::string_view usual_ending(TargetFormat format) {
  switch (format) {
    case TargetFormat::et: return ".et";
    case TargetFormat::jsonl: return ".jsonl";
    case TargetFormat::dot: return ".dot";
    case TargetFormat::graphml: return ".graphml";
    case TargetFormat::goal: return ".goal";
    case TargetFormat::pftrace: return ".pftrace";
    case TargetFormat::feeder:
    case TargetFormat::json:
    case TargetFormat::timeline: return ".json";
  }
  return "";
}

}  // namespace

bool is_for_all_ranks(TargetFormat format) {
  return format == TargetFormat::timeline || format == TargetFormat::goal || format == TargetFormat::pftrace;
}

std::string ConvertTarget::file(std::size_t rank) const { return file_per_rank ? fmt::format("{}.{}{}", path, rank, ending) : path; }

bool is_format(const Source& source, std::string_view name) { return source.format->name == name; }

Result<ConvertTarget> choose_target(const Source& source, const std::string& output, std::optional<TargetFormat> wanted, bool like_chakra) {
  ConvertTarget target;
  target.path = output;
  const std::string_view ending = format_ending(output);
  const std::optional<TargetFormat> by_name = target_format_of_name(output);
  // Of a log the workload is not known, only what happened when; of an XSpace that is what is asked for as a rule.
  const bool is_timeline = is_format(source, "log") || is_format(source, "xspace");
  if (wanted) target.format = *wanted;
  else if (by_name) target.format = *by_name;
  else if (is_timeline) target.format = TargetFormat::timeline;
  // Chakra's jsonizer and its feeder both write .json; who asks for Chakra's tools means the tool.
  else if (ending.starts_with(".json")) target.format = like_chakra ? TargetFormat::json : TargetFormat::feeder;
  else target.format = TargetFormat::et;
  if (is_format(source, "log") && target.format != TargetFormat::timeline)
    return Error{"of a log there is only a timeline", {}, Error::kNoOffset, "ask for the format timeline", Error::Kind::misuse};
  if (like_chakra && target.format == TargetFormat::pftrace)
    return Error{"Chakra's tools write no Perfetto traces", {}, Error::kNoOffset, "leave out --compat", Error::Kind::misuse};
  if (is_for_all_ranks(target.format)) return target;
  target.file_per_rank = source.is_prefix || source.files.size() > 1 || is_format(source, "text") || is_format(source, "goal") ||
                         is_format(source, "ti") || ending.empty();
  if (!source.pairs.empty()) target.file_per_rank = source.pairs.size() > 1 || ending.empty();
  if (is_standard_output(output)) {
    // Of formats with a file per rank, a single one can go there; how many ranks a text or a schedule has is known when it is read.
    if (source.files.size() > 1 && source.pairs.size() != 1) {
      return Error{"several ranks are several files, which standard output is not",
                   {},
                   Error::kNoOffset,
                   "name what the files of all ranks begin with",
                   Error::Kind::misuse};
    }
    target.file_per_rank = false;
  }
  if (!target.file_per_rank) return target;
  target.ending = ending.empty() ? usual_ending(target.format) : ending;
  target.path.resize(output.size() - ending.size());
  return target;
}

}  // namespace orrery::job
