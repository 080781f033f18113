#include <fmt/format.h>

#include "cli/frame/completion.h"
#include "cli/frame/global_flags.h"

namespace orrery::cli {
namespace {

// `special` characters get a backslash; a single quote ends, escapes and begins the quoted word again.
std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') out += "'\\''";
    else if (special.find(c) != std::string_view::npos) out += fmt::format("\\{}", c);
    else out += c;
  }
  return out;
}

std::string action(const Flag& flag) {
  if (!flag.choices.empty()) return fmt::format("({})", flag.choices);
  if (flag.kind == ValueKind::file || flag.kind == ValueKind::output) return "_files";
  if (flag.kind == ValueKind::directory) return "_files -/";
  return " ";
}

// One word for _arguments: '(-o --output)'{-o,--output=}'[help]:FILE:_files'
std::string argument(const Flag& flag) {
  const std::string_view equals = flag.takes_value() ? "=" : "";
  std::string tail = "[" + escaped(flag.help, "[]\\") + "]";
  if (flag.takes_value()) tail += ":" + escaped(flag.value_name, ":\\") + ":" + action(flag);
  if (flag.short_name == '\0') return fmt::format("'{}--{}{}{}'", flag.repeatable ? "*" : "", flag.name, equals, tail);
  const std::string both =
      fmt::format("{{-{}{},--{}{}}}'{}'", flag.short_name, flag.takes_value() ? "+" : "", flag.name, equals, tail);
  return flag.repeatable ? "'*'" + both : fmt::format("'(-{} --{})'{}", flag.short_name, flag.name, both);
}

std::string arguments(const std::vector<Flag>& flags, std::string_view indent) {
  std::string text;
  for (const Flag& flag : flags) text += fmt::format("{}{}\n", indent, argument(flag));
  return text;
}

std::string operand_argument(const Verb& verb, std::span<const Verb* const> table) {
  if (verb.operands.max == 0) return {};
  const std::string choices = operand_choices(verb.operands, table);
  return fmt::format("          '*:{}:{}'\n", escaped(verb.operands.name, ":\\"),
                     choices.empty() ? "_files" : "(" + choices + ")");
}

}  // namespace

std::string zsh_completion(std::span<const Verb* const> table) {
  std::string names, cases;
  for (const Verb* verb : table) {
    names += fmt::format("    '{}:{}'\n", verb->name, escaped(verb->summary, ":\\"));
    cases += fmt::format("      {})\n        specs=(\n{}{}        ) ;;\n", verb->name,
                         arguments(verb->flags, "          "), operand_argument(*verb, table));
  }
  std::string text = "#compdef orrery\n# zsh completion for orrery, made by `orrery completion zsh`\n\n_orrery() {\n";
  text += "  local curcontext=\"$curcontext\" state line\n  typeset -A opt_args\n  local -a verbs globals specs\n";
  text += "  verbs=(\n" + names + "  )\n  globals=(\n" + arguments(global_flags(), "    ") + "  )\n";
  text += "  _arguments -C -S $globals '1:verb:->verb' '*::operand:->rest'\n";
  text += "  case $state in\n  verb) _describe verb verbs ;;\n  rest)\n    case $words[1] in\n" + cases + "    esac\n";
  text += "    _arguments -S $globals $specs ;;\n  esac\n}\n\n";
  text += "if [ \"$funcstack[1]\" = _orrery ]; then\n  _orrery \"$@\"\nelse\n  compdef _orrery orrery\nfi\n";
  return text;
}

}  // namespace orrery::cli
