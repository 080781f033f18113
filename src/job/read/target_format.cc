#include "job/read/target_format.h"

#include <algorithm>
#include <array>

namespace orrery::job {
namespace {

// In the order of TargetFormat.
constexpr std::array<std::string_view, 9> kNames = {"et", "feeder", "json", "jsonl", "dot", "graphml", "timeline", "goal", "pftrace"};

struct Ending {
  std::string_view text;
  std::optional<TargetFormat> format;
};
constexpr std::array kEndings = {
    Ending{".et", TargetFormat::et},          Ending{".jsonl", TargetFormat::jsonl},     Ending{".json", std::nullopt},
    Ending{".dot", TargetFormat::dot},        Ending{".graphml", TargetFormat::graphml}, Ending{".goal", TargetFormat::goal},
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
  const auto* const found = std::find_if(kEndings.begin(), kEndings.end(), [&](const Ending& one) { return one.text == ending; });
  return found == kEndings.end() ? std::nullopt : found->format;
}

}  // namespace orrery::job
