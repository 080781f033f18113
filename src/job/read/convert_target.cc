#include "job/read/convert_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/io/output_file.h"

namespace orrery::job {
namespace {

// In the order of TargetFormat.
constexpr std::array<std::string_view, 9> kNames = {"et",      "feeder",   "json", "jsonl",  "dot",
                                                    "graphml", "timeline", "goal", "pftrace"};

struct Ending {
  std::string_view text;
  std::optional<TargetFormat> format;
};
constexpr std::array kEndings = {Ending{".et", TargetFormat::et},
                                 Ending{".jsonl", TargetFormat::jsonl},
                                 Ending{".json", std::nullopt},
                                 Ending{".dot", TargetFormat::dot},
                                 Ending{".graphml", TargetFormat::graphml},
                                 Ending{".goal", TargetFormat::goal},
                                 Ending{".pftrace", TargetFormat::pftrace}};

}  // namespace

std::optional<TargetFormat> target_format_called(std::string_view name) {
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  return found == kNames.end() ? std::nullopt : std::optional(static_cast<TargetFormat>(found - kNames.begin()));
}

std::string_view to_string(TargetFormat format) { return kNames[static_cast<std::size_t>(format)]; }

std::string_view format_ending(std::string_view path) {
  const std::string_view name = path.ends_with(".gz") ? path.substr(0, path.size() - 3) : path;
  for (const Ending& ending : kEndings) {
    if (name.ends_with(ending.text)) return path.substr(name.size() - ending.text.size());
  }
  return {};
}

std::optional<TargetFormat> target_format_of_name(std::string_view path) {
  std::string_view ending = format_ending(path);
  if (ending.ends_with(".gz")) ending.remove_suffix(3);
  const auto* const found =
      std::find_if(kEndings.begin(), kEndings.end(), [&](const Ending& one) { return one.text == ending; });
  return found == kEndings.end() ? std::nullopt : found->format;
}

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

std::string ConvertTarget::file(std::size_t rank) const {
  return file_per_rank ? fmt::format("{}.{}{}", path, rank, ending) : path;
}

bool is_format(const Source& source, std::string_view name) { return source.format->name == name; }

Result<ConvertTarget> choose_target(const Source& source, const std::string& output, std::optional<TargetFormat> wanted,
                                    bool like_chakra) {
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
    return Error{
        "of a log there is only a timeline", {}, Error::kNoOffset, "ask for the format timeline", Error::Kind::misuse};
  if (like_chakra && target.format == TargetFormat::pftrace)
    return Error{
        "Chakra's tools write no Perfetto traces", {}, Error::kNoOffset, "leave out --compat", Error::Kind::misuse};
  if (is_for_all_ranks(target.format)) return target;
  target.file_per_rank = source.is_prefix || source.files.size() > 1 || is_format(source, "text") ||
                         is_format(source, "goal") || is_format(source, "ti") || ending.empty();
  if (!source.pairs.empty()) target.file_per_rank = source.pairs.size() > 1 || ending.empty();
  if (is_standard_output(output)) {
    // Of formats with a file per rank, a single one can go there; how many ranks a text or a schedule has is known when
    // it is read.
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
