#include "cli/convert_formats.h"

#include <algorithm>
#include <array>

#include "base/file_content.h"
#include "cli/flag.h"
#include "formats/astra_text/text_workload.h"
#include "formats/chakra/reader.h"
#include "formats/chakra/timeline_log.h"
#include "formats/pytorch_et/reader.h"
#include "formats/xspace/reader.h"

namespace orrery::cli {
namespace {

constexpr std::size_t kSniffedBytes = 64 * 1024;

bool is_json(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \n\r\t");
  return first != std::string_view::npos && (head[first] == '{' || head[first] == '[');
}

/// "num_ranks 4", behind comments (// or /* */).
bool looks_like_goal(std::string_view head) {
  const std::size_t at = head.find("num_ranks");
  return at != std::string_view::npos && (at == 0 || head[at - 1] == '\n' || head[at - 1] == ' ' || head[at - 1] == '/');
}

template <typename Format>
std::optional<Format> called(std::string_view names, std::string_view name) {
  const std::vector<std::string_view> words = split_words(names);
  const auto found = std::find(words.begin(), words.end(), name);
  if (found == words.end()) return std::nullopt;
  return static_cast<Format>(found - words.begin());
}

// In the order of SourceFormat.
constexpr std::string_view kSources = "kineto host chakra feeder text goal log xspace";

struct Ending {
  std::string_view text;
  std::optional<TargetFormat> format;
};
constexpr std::array kEndings = {
    Ending{".et", TargetFormat::et},   Ending{".jsonl", TargetFormat::jsonl},     Ending{".json", std::nullopt},
    Ending{".dot", TargetFormat::dot}, Ending{".graphml", TargetFormat::graphml}, Ending{".goal", TargetFormat::goal}};

}  // namespace

std::optional<SourceFormat> source_format_called(std::string_view name) {
  return called<SourceFormat>(kSources, name == "linked" ? "host" : name);
}
std::string_view to_string(SourceFormat format) { return split_words(kSources)[static_cast<std::size_t>(format)]; }

std::optional<TargetFormat> target_format_called(std::string_view name) { return called<TargetFormat>(kTargetFormats, name); }
std::string_view to_string(TargetFormat format) { return split_words(kTargetFormats)[static_cast<std::size_t>(format)]; }

Result<SourceFormat> detect_source_format(const std::string& path) {
  const Result<std::string> head = read_first_bytes(path, kSniffedBytes);
  if (!head) return head.error();
  if (is_json(*head)) {
    if (chakra::looks_like_feeder_json(*head)) return SourceFormat::feeder;
    return pytorch_et::looks_like_host_trace(*head) ? SourceFormat::host : SourceFormat::kineto;
  }
  if (astra_text::looks_like_text_workload(*head)) return SourceFormat::text;
  if (chakra::looks_like_timeline_log(*head)) return SourceFormat::log;
  if (looks_like_goal(*head)) return SourceFormat::goal;
  if (path.ends_with(".xplane.pb") || path.ends_with(".xplane.pb.gz")) return SourceFormat::xspace;
  if (format_ending(path).starts_with(".et") || chakra::looks_like_protobuf(*head)) return SourceFormat::chakra;
  if (xspace::looks_like_xspace(*head)) return SourceFormat::xspace;
  return Error{"this is none of the formats that can be converted", path, 0, "name it with --from if it is one of them after all"};
}

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
  const auto* const found = std::find_if(kEndings.begin(), kEndings.end(), [&](const Ending& one) { return one.text == ending; });
  return found == kEndings.end() ? std::nullopt : found->format;
}

}  // namespace orrery::cli
