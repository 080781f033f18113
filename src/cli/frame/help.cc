#include "cli/frame/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/words.h"
#include "cli/frame/global_flags.h"
#include "report/text_width.h"

namespace orrery::cli {
namespace {

using report::Style;
using report::Tone;

constexpr std::size_t kIndent = 2;
constexpr std::size_t kWidestLabel = 26;  // longer labels get a line of their own
constexpr std::size_t kWidestText = 100;  // longer lines are hard to read
constexpr std::string_view kProgramEnd =
    "`orrery help VERB` describes a verb. "
    "Exit status: 0 fine, 1 a check or threshold failed, 2 wrong usage, 3 an input cannot be used, 4 internal error, "
    "130 or 143 "
    "interrupted.";

// "  label   text that goes on
//            and on"
std::string entry(std::string_view label, std::string_view text, std::size_t label_columns, std::size_t columns) {
  const std::size_t indent = kIndent + label_columns + 2;
  const std::string body = report::wrap(text, columns, indent);
  const std::string head = std::string(kIndent, ' ') + std::string(label);
  if (body.empty()) return head + "\n";
  // One long label must not push the text of all others to the right.
  if (report::display_width(label) > label_columns) return head + "\n" + body;
  return report::pad_right(head, indent) + body.substr(indent);
}

std::string heading(std::string_view title, const Style& style) {
  return "\n" + style.paint(Tone::strong, title) + "\n";
}

std::string flag_entries(const std::vector<const Flag*>& flags, std::size_t columns) {
  std::string text;
  std::size_t widest = 0;
  for (const Flag* flag : flags) widest = std::max(widest, report::display_width(flag_signature(*flag)));
  for (const Flag* flag : flags)
    text += entry(flag_signature(*flag), flag_explanation(*flag), std::min(widest, kWidestLabel), columns);
  return text;
}

// Groups appear in the order of their first flag.
std::string flag_groups(const std::vector<Flag>& flags, std::size_t columns, const Style& style) {
  std::vector<std::string_view> groups;
  for (const Flag& flag : flags) {
    if (std::find(groups.begin(), groups.end(), flag.group) == groups.end()) groups.push_back(flag.group);
  }
  std::string text;
  for (const std::string_view group : groups) {
    std::vector<const Flag*> members;
    for (const Flag& flag : flags) {
      if (flag.group == group) members.push_back(&flag);
    }
    text += heading(group.empty() ? "Flags" : group, style) + flag_entries(members, columns);
  }
  return text;
}

}  // namespace

std::string usage_line(const Verb& verb) {
  std::string line = fmt::format("orrery {} [FLAG]...", verb.name);
  if (verb.operands.max == 0) return line;
  return line +
         (verb.operands.min == 0 ? fmt::format(" [{}]", verb.operands.name) : fmt::format(" {}", verb.operands.name));
}

std::string flag_signature(const Flag& flag) {
  std::string text = flag.short_name == '\0' ? std::string() : fmt::format("-{}, ", flag.short_name);
  text += fmt::format("--{}", flag.name);
  if (flag.takes_value()) text += fmt::format(" {}", flag.value_name);
  return text;
}

std::string flag_explanation(const Flag& flag) {
  std::string text(flag.help);
  const auto add = [&](const std::string& remark) { text += (text.empty() ? "" : "; ") + remark; };
  if (!flag.choices.empty()) {
    std::string list;
    for (const std::string_view choice : split_words(flag.choices))
      list += (list.empty() ? "" : ", ") + std::string(choice);
    add("one of: " + list);
  }
  if (!flag.default_text.empty()) add("default: " + std::string(flag.default_text));
  if (flag.repeatable) add("may be given more than once");
  return text;
}

std::string operands_explanation(const Operands& operands) {
  std::string list;
  for (const std::string_view choice : split_words(operands.choices))
    list += (list.empty() ? "; one of: " : ", ") + std::string(choice);
  return std::string(operands.help) + list;
}

std::string program_help(std::span<const Verb* const> table, std::size_t columns, const Style& style) {
  columns = std::min(columns, kWidestText);
  std::string text =
      report::wrap("orrery: where the time of a distributed AI or HPC job goes, and what would change it", columns, 0);
  text += "\nUsage: orrery VERB [FLAG]... [OPERAND]...\n" + heading("Verbs", style);
  std::size_t widest = 0;
  for (const Verb* verb : table) widest = std::max(widest, verb->name.size());
  for (const Verb* verb : table) text += entry(verb->name, verb->summary, widest, columns);
  text += flag_groups(global_flags(), columns, style);
  return text + "\n" + report::wrap(kProgramEnd, columns, 0);
}

std::string verb_help(const Verb& verb, std::size_t columns, const Style& style) {
  columns = std::min(columns, kWidestText);
  std::string text = report::wrap(fmt::format("orrery {}: {}", verb.name, verb.summary), columns, 0);
  text += "\nUsage: " + usage_line(verb) + "\n";
  if (!verb.description.empty()) text += "\n" + report::wrap(verb.description, columns, 0);
  if (!verb.operands.name.empty()) {
    text += heading("Operands", style) + entry(verb.operands.name, operands_explanation(verb.operands),
                                               std::min(verb.operands.name.size(), kWidestLabel), columns);
  }
  text += flag_groups(verb.flags, columns, style) + flag_groups(global_flags(verb), columns, style);
  if (verb.examples.empty()) return text;
  text += heading("Examples", style);
  for (const Example& example : verb.examples)
    text += "  " + std::string(example.command) + "\n" + report::wrap(example.shows, columns, 6);
  return text;
}

}  // namespace orrery::cli
