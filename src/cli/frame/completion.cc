#include "cli/frame/completion.h"

#include <fmt/format.h>

#include "cli/frame/global_flags.h"
#include "cli/frame/verbs.h"

// One generator per shell, from the same table: each writes a script that finds the verb among the words so far, then
// offers values of the flag before the cursor, flags of the verb, or operands.

namespace orrery::cli {

std::string operand_choices(const Operands& operands, std::span<const Verb* const> table) {
  if (!operands.verb_names) return std::string(operands.choices);
  std::string text;
  for (const Verb* verb : table) text += (text.empty() ? "" : " ") + std::string(verb->name);
  return text;
}

namespace {

// The words that choose a sub-verb.
std::string sub_verb_words(const Verb& verb) {
  std::string text;
  for (const Verb* sub : verb.sub_verbs) text += (text.empty() ? "" : " ") + std::string(sub->word());
  return text;
}

// "-o|--output": the pattern under which a flag is found.
std::string pattern(const Flag& flag) {
  return (flag.short_name == '\0' ? std::string() : fmt::format("-{}|", flag.short_name)) +
         fmt::format("--{}", flag.name);
}

std::string flag_words(const std::vector<Flag>& flags) {
  std::string words;
  for (const Flag& flag : flags) {
    if (flag.short_name != '\0') words += fmt::format("-{} ", flag.short_name);
    words += fmt::format("--{} ", flag.name);
  }
  return words;
}

// The shell command that offers values for a flag; nothing when there is nothing to offer.
std::string offer(const Flag& flag) {
  if (!flag.choices.empty()) return fmt::format("_orrery_offer -W '{}'", flag.choices);
  if (flag.kind == ValueKind::file || flag.kind == ValueKind::output) return "_orrery_offer -f";
  if (flag.kind == ValueKind::directory) return "_orrery_offer -d";
  return ":";
}

std::string value_cases(const std::vector<Flag>& flags, std::string_view indent) {
  std::string text;
  for (const Flag& flag : flags) {
    if (flag.takes_value()) text += fmt::format("{}{}) {}; return ;;\n", indent, pattern(flag), offer(flag));
  }
  return text;
}

std::string bash_word(std::string_view name) {
  return name.find(' ') == std::string_view::npos ? std::string(name) : fmt::format("'{}'", name);
}

}  // namespace

std::string bash_completion(std::span<const Verb* const> table) {
  std::string names, values, words, operands, skipped, chosen;
  for (const Verb* verb : table) {
    names += (names.empty() ? "" : " ") + std::string(verb->name);
    if (!verb->sub_verbs.empty()) chosen += fmt::format("    {}) subs='{}' ;;\n", verb->name, sub_verb_words(*verb));
  }
  for (const Verb* verb : with_sub_verbs(table)) {
    const std::string name = bash_word(verb->name);
    const std::string cases = value_cases(verb->flags, "        ");
    if (!cases.empty()) values += fmt::format("    {})\n      case $prev in\n{}      esac ;;\n", name, cases);
    words += fmt::format("      {}) words+='{}' ;;\n", name, flag_words(verb->flags));
    const std::string choices = operand_choices(verb->operands, table);
    if (!choices.empty()) operands += fmt::format("    {}) _orrery_offer -W '{}' ;;\n", name, choices);
    // A verb that runs by itself, too, takes files beside the words.
    else if (!verb->sub_verbs.empty())
      operands += fmt::format("    {}) _orrery_offer {}-W \"$subs\" ;;\n", name, verb->run != nullptr ? "-f " : "");
    else if (verb->operands.max == 0) operands += fmt::format("    {}) ;;\n", name);
  }
  for (const Flag& flag : global_flags()) {
    if (flag.takes_value()) skipped += (skipped.empty() ? "" : "|") + pattern(flag);
  }
  std::string text = R"(# bash completion for orrery, made by `orrery completion bash`
_orrery_offer() {
  [[ $1 == -W ]] || compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$@" -- "$cur")
}

_orrery() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb= subs= words i
  COMPREPLY=()
  # bash takes --flag=value apart at '='
  if [[ $cur == = ]]; then cur=
  elif [[ $prev == = && $COMP_CWORD -gt 1 ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
)";
  text += fmt::format("      {}) [[ ${{COMP_WORDS[i+1]}} == = ]] && ((i++)); ((i++)) ;;\n", skipped);
  text += "      -*|=) ;;\n      *) verb=${COMP_WORDS[i]}; break ;;\n    esac\n  done\n";
  // The first operand may be a sub-verb.
  if (!chosen.empty()) {
    text += "  case $verb in\n" + chosen + "  esac\n";
    text += "  for ((i++; i < COMP_CWORD; i++)); do\n";
    text += "    [[ \" $subs \" == *\" ${COMP_WORDS[i]} \"* ]] && { verb+=\" ${COMP_WORDS[i]}\"; break; }\n  done\n";
  }
  if (!values.empty()) text += "  case $verb in\n" + values + "  esac\n";
  text += "  case $prev in\n" + value_cases(global_flags(), "    ") + "  esac\n";
  text += fmt::format("  if [[ $cur == -* ]]; then\n    words='{}'\n    case $verb in\n{}    esac\n",
                      flag_words(global_flags()), words);
  text += "    _orrery_offer -W \"$words\"\n    return\n  fi\n  case $verb in\n";
  text += fmt::format(
      "    '') _orrery_offer -W '{}' ;;\n{}    *) _orrery_offer -f ;;\n  esac\n}}\n\ncomplete -F _orrery orrery\n",
      names, operands);
  return text;
}

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
  if (!verb.sub_verbs.empty())
    return fmt::format("          '1:what:({})'\n          '*:file:_files'\n", sub_verb_words(verb));
  if (verb.operands.max == 0) return {};
  const std::string choices = operand_choices(verb.operands, table);
  return fmt::format("          '*:{}:{}'\n", escaped(verb.operands.name, ":\\"),
                     choices.empty() ? "_files" : "(" + choices + ")");
}

}  // namespace

std::string zsh_completion(std::span<const Verb* const> table) {
  std::string names, cases;
  for (const Verb* verb : table) names += fmt::format("    '{}:{}'\n", verb->name, escaped(verb->summary, ":\\"));
  // The first operand may be a sub-verb, whose case is looked at first.
  for (const Verb* verb : table) {
    for (const Verb* sub : verb->sub_verbs) {
      cases += fmt::format("      '{}')\n        specs=(\n          '1:what:'\n{}{}        ) ;;\n", sub->name,
                           arguments(sub->flags, "          "), operand_argument(*sub, table));
    }
    cases += fmt::format("      {}\\ *)\n        specs=(\n{}{}        ) ;;\n", verb->name,
                         arguments(verb->flags, "          "), operand_argument(*verb, table));
  }
  std::string text = "#compdef orrery\n# zsh completion for orrery, made by `orrery completion zsh`\n\n_orrery() {\n";
  text += "  local curcontext=\"$curcontext\" state line\n  typeset -A opt_args\n  local -a verbs globals specs\n";
  text += "  verbs=(\n" + names + "  )\n  globals=(\n" + arguments(global_flags(), "    ") + "  )\n";
  text += "  _arguments -C -S $globals '1:verb:->verb' '*::operand:->rest'\n";
  text += "  case $state in\n  verb) _describe verb verbs ;;\n  rest)\n    case \"$words[1] $words[2]\" in\n" + cases +
          "    esac\n";
  text += "    _arguments -S $globals $specs ;;\n  esac\n}\n\n";
  text += "if [ \"$funcstack[1]\" = _orrery ]; then\n  _orrery \"$@\"\nelse\n  compdef _orrery orrery\nfi\n";
  return text;
}

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
  for (const Verb* verb : with_sub_verbs(table)) {
    std::string condition = fmt::format(" -n '__fish_seen_subcommand_from {}", verb->family());
    if (verb->word() != verb->name) condition += fmt::format("; and __fish_seen_subcommand_from {}", verb->word());
    if (!verb->sub_verbs.empty())
      condition += fmt::format("; and not __fish_seen_subcommand_from {}", sub_verb_words(*verb));
    condition += "'";
    text += flag_lines(verb->flags, condition);
    for (const Verb* sub : verb->sub_verbs)
      text += fmt::format("complete -c orrery{} -a {} -d {}\n", condition, sub->word(), fish_quoted(sub->summary));
    if (verb->operands.max == 0 || verb->run == nullptr) continue;
    const std::string choices = operand_choices(verb->operands, table);
    text += fmt::format("complete -c orrery{}{}\n", condition, choices.empty() ? " -F" : " -a " + fish_quoted(choices));
  }
  return text;
}

}  // namespace orrery::cli
