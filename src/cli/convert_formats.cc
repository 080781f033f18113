#include "cli/convert_formats.h"

#include <algorithm>
#include <array>

#include "cli/flag.h"

namespace orrery::cli {
namespace {

template <typename Format>
std::optional<Format> called(std::string_view names, std::string_view name) {
  const std::vector<std::string_view> words = split_words(names);
  const auto found = std::find(words.begin(), words.end(), name);
  if (found == words.end()) return std::nullopt;
  return static_cast<Format>(found - words.begin());
}

struct Ending {
  std::string_view text;
  std::optional<TargetFormat> format;
};
constexpr std::array kEndings = {
    Ending{".et", TargetFormat::et},   Ending{".jsonl", TargetFormat::jsonl},     Ending{".json", std::nullopt},
    Ending{".dot", TargetFormat::dot}, Ending{".graphml", TargetFormat::graphml}, Ending{".goal", TargetFormat::goal}};

}  // namespace

std::optional<TargetFormat> target_format_called(std::string_view name) { return called<TargetFormat>(kTargetFormats, name); }
std::string_view to_string(TargetFormat format) { return split_words(kTargetFormats)[static_cast<std::size_t>(format)]; }

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
