#include <fmt/format.h>

#include "cli/frame/completion.h"
#include "cli/frame/global_flags.h"

namespace orrery::cli {
namespace {

std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string value_options(const Flag& flag) {
  if (!flag.takes_value()) return {};
  if (!flag.choices.empty()) return " -x -a " + fish_quoted(flag.choices);
  if (flag.kind == ValueKind::file || flag.kind == ValueKind::output) return " -r -F";
  if (flag.kind == ValueKind::directory) return " -x -a '(__fish_complete_directories)'";
  return " -x";
}

std::string flag_lines(const std::vector<Flag>& flags, std::string_view condition) {
  std::string text;
  for (const Flag& flag : flags) {
    text += fmt::format("complete -c orrery{}", condition);
    if (flag.short_name != '\0') text += fmt::format(" -s {}", flag.short_name);
    text += fmt::format(" -l {}{} -d {}\n", flag.name, value_options(flag), fish_quoted(flag.help));
  }
  return text;
}

}  // namespace

std::string fish_completion(std::span<const Verb* const> table) {
  std::string text = "# fish completion for orrery, made by `orrery completion fish`\ncomplete -c orrery -f\n";
  for (const Verb* verb : table)
    text += fmt::format("complete -c orrery -n __fish_use_subcommand -a {} -d {}\n", verb->name,
                        fish_quoted(verb->summary));
  text += flag_lines(global_flags(), "");
  for (const Verb* verb : table) {
    const std::string condition = fmt::format(" -n '__fish_seen_subcommand_from {}'", verb->name);
    text += flag_lines(verb->flags, condition);
    if (verb->operands.max == 0) continue;
    const std::string choices = operand_choices(verb->operands, table);
    text += fmt::format("complete -c orrery{}{}\n", condition, choices.empty() ? " -F" : " -a " + fish_quoted(choices));
  }
  return text;
}

}  // namespace orrery::cli
