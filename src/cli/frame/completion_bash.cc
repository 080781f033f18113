#include <fmt/format.h>

#include "cli/frame/completion.h"
#include "cli/frame/global_flags.h"

namespace orrery::cli {
namespace {

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

}  // namespace

std::string bash_completion(std::span<const Verb* const> table) {
  std::string names, values, words, operands, skipped;
  for (const Verb* verb : table) {
    names += (names.empty() ? "" : " ") + std::string(verb->name);
    const std::string cases = value_cases(verb->flags, "        ");
    if (!cases.empty()) values += fmt::format("    {})\n      case $prev in\n{}      esac ;;\n", verb->name, cases);
    words += fmt::format("      {}) words+='{}' ;;\n", verb->name, flag_words(verb->flags));
    const std::string choices = operand_choices(verb->operands, table);
    if (!choices.empty()) operands += fmt::format("    {}) _orrery_offer -W '{}' ;;\n", verb->name, choices);
    else if (verb->operands.max == 0) operands += fmt::format("    {}) ;;\n", verb->name);
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
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb= words i
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

}  // namespace orrery::cli
