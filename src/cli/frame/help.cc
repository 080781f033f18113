#include "cli/frame/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ask/provenance.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "cli/frame/global_flags.h"
#include "cli/frame/verbs.h"
#include "report/text_width.h"

namespace orrery::cli {
namespace {

unsigned code_point(std::string_view sequence) {
  unsigned point = static_cast<unsigned char>(sequence[0]) & (0xFFu >> (sequence.size() + 1));
  for (const char c : sequence.substr(1)) point = point << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  return point;
}

// An empty line between paragraphs becomes .PP.
std::string paragraphs(std::string_view text) {
  std::string out;
  for (;;) {
    const std::size_t end = text.find("\n\n");
    out += roff_escape(text.substr(0, end)) + "\n";
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 2);
    out += ".PP\n";
  }
}

std::string flag_items(const std::vector<Flag>& flags) {
  std::string out;
  for (const Flag& flag : flags) {
    out += ".TP\n";
    if (flag.short_name != '\0') out += fmt::format("\\fB\\-{}\\fR, ", flag.short_name);
    out += fmt::format("\\fB\\-\\-{}\\fR", roff_escape(flag.name));
    if (flag.takes_value()) out += fmt::format(" \\fI{}\\fR", roff_escape(flag.value_name));
    out += "\n" + roff_escape(flag_explanation(flag)) + "\n";
  }
  return out;
}

std::string verb_section(const Verb& verb) {
  std::string out = fmt::format(".SS \"{}\"\n", roff_escape(usage_line(verb)));
  out += paragraphs(verb.summary);
  if (!verb.description.empty()) out += ".PP\n" + paragraphs(verb.description);
  if (!verb.operands.name.empty())
    out += fmt::format(".TP\n\\fI{}\\fR\n{}\n", roff_escape(verb.operands.name),
                       roff_escape(operands_explanation(verb.operands)));
  return out + flag_items(verb.flags);
}

std::string examples(std::span<const Verb* const> table) {
  std::string out;
  for (const Verb* verb : with_sub_verbs(table)) {
    for (const Example& example : verb->examples) {
      out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff_escape(example.command), roff_escape(example.shows));
    }
  }
  return out;
}

constexpr std::string_view kEnd = R"(.SH "EXIT STATUS"
.TP
.B 0
fine
.TP
.B 1
a check or a threshold failed
.TP
.B 2
wrong usage
.TP
.B 3
an input cannot be used, or an output cannot be written
.TP
.B 4
internal error, or out of memory
.TP
.B 130, 143
ended by Ctrl-C or kill; files that were being written are left as they were
.SH ENVIRONMENT
.TP
.B NO_COLOR
no colours when set to anything but the empty text
.SH "JSON OUTPUT"
With \fB\-\-json\fR every verb prints one object on one line: \fIschema\fR (\(dqorrery.VERB/1\(dq), \fIok\fR (the exit status is 0),
\fIdata\fR (what the verb found), \fIdiagnostics\fR (a list of \fIcode\fR, \fIseverity\fR, \fIcount\fR, \fImessage\fR and \fIhint\fR)
and \fIprovenance\fR (\fIversion\fR, \fIcommand\fR, \fIinputs\fR with \fIpath\fR, \fIbytes\fR and \fIxxh3\fR, and \fIseed\fR).
)";

}  // namespace

std::string roff_escape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_sequence_length(text.substr(i));
    const char c = text[i];
    // roff knows characters beyond ASCII by their number only, whatever the encoding of the page.
    if (length > 1) out += fmt::format("\\[u{:04X}]", code_point(text.substr(i, length)));
    else if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";  // a bare one may be set as a hyphen, which cannot be pasted into a shell
    else if (c == '"') out += "\\(dq";
    else if (c == '\'') out += "\\(aq";
    else if (c == '`') out += "\\(ga";
    else if (c == '^') out += "\\(ha";
    else if (c == '~') out += "\\(ti";
    else if (c == '.' && (out.empty() || out.back() == '\n'))
      out += "\\&.";  // at the start of a line it would be a request
    else out += c;
    i += length == 0 ? 1 : length;
  }
  return out;
}

std::string man_page(std::span<const Verb* const> table) {
  std::string out =
      fmt::format(".TH ORRERY 1 \"\" \"orrery {}\" \"User Commands\"\n.nh\n.ad l\n", roff_escape(ask::version()));
  out += ".SH NAME\norrery \\- where the time of a distributed AI or HPC job goes, and what would change it\n";
  out += ".SH SYNOPSIS\n\\fBorrery\\fR \\fIVERB\\fR [\\fIFLAG\\fR]... [\\fIOPERAND\\fR]...\n";
  out +=
      ".SH DESCRIPTION\nReads the traces that a job left behind (files, folders or globs; the format is detected by "
      "content), makes one "
      "causal model\n"
      "of them, says what bounds the job, and predicts what a change would bring.\n";
  out += ".SH VERBS\n";
  for (const Verb* verb : with_sub_verbs(table)) out += verb_section(*verb);
  out += ".SH \"GLOBAL FLAGS\"\nUnderstood by every verb, before it or after it.\n" + flag_items(global_flags());
  out += kEnd;
  return out + ".SH EXAMPLES\n" + examples(table);
}

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
  if (!verb.sub_verbs.empty()) {
    text += heading("What it does", style);
    std::size_t widest = 0;
    for (const Verb* sub : verb.sub_verbs) widest = std::max(widest, sub->word().size());
    for (const Verb* sub : verb.sub_verbs) text += entry(sub->word(), sub->summary, widest, columns);
    text += "\n" + report::wrap(fmt::format("`orrery help {} {}` describes one of them.", verb.name,
                                            verb.sub_verbs.front()->word()),
                                columns, 0);
  }
  text += flag_groups(verb.flags, columns, style) + flag_groups(global_flags(verb), columns, style);
  std::string examples;
  const Verb* const itself = &verb;
  for (const Verb* one : with_sub_verbs(std::span(&itself, 1))) {
    for (const Example& example : one->examples)
      examples += "  " + std::string(example.command) + "\n" + report::wrap(example.shows, columns, 6);
  }
  return examples.empty() ? text : text + heading("Examples", style) + examples;
}

namespace {

std::string_view name_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::text: return "text";
    case ValueKind::integer: return "integer";
    case ValueKind::count: return "count";
    case ValueKind::number: return "number";
    case ValueKind::bytes: return "bytes";
    case ValueKind::duration: return "duration";
    case ValueKind::file:
    case ValueKind::output: return "file";
    case ValueKind::directory: return "directory";
  }
  return "text";
}

void tell_flags(report::Facts& facts, std::string_view key, const std::vector<Flag>& flags) {
  facts.key(key).begin_array();
  for (const Flag& flag : flags) {
    facts.begin_object()
        .field("name", flag.name)
        .field("short", flag.short_name == '\0' ? std::string() : std::string(1, flag.short_name));
    facts.field("value", flag.value_name)
        .field("kind", flag.takes_value() ? name_of(flag.kind) : std::string_view("switch"));
    facts.field("help", flag.help).field("default", flag.default_text).field("repeatable", flag.repeatable);
    facts.key("choices").begin_array();
    for (const std::string_view choice : split_words(flag.choices)) facts.value(choice);
    facts.end_array().end_object();
  }
  facts.end_array();
}

void tell_table(report::Facts& facts, std::span<const Verb* const> table) {
  facts.key("verbs").begin_array();
  for (const Verb* verb : table) {
    facts.begin_object()
        .field("name", verb->name)
        .field("summary", verb->summary)
        .field("usage", usage_line(*verb))
        .field("operands", verb->operands.name);
    tell_flags(facts, "flags", verb->flags);
    if (!verb->sub_verbs.empty()) tell_table(facts, verb->sub_verbs);
    facts.end_object();
  }
  facts.end_array();
}

}  // namespace

void tell_verbs(report::Facts& facts, std::span<const Verb* const> table) {
  tell_flags(facts, "global_flags", global_flags());
  tell_table(facts, table);
}

}  // namespace orrery::cli
