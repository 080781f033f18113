#include "cli/frame/man_page.h"

#include <fmt/format.h>

#include "ask/provenance.h"
#include "base/utf8.h"
#include "cli/frame/global_flags.h"
#include "cli/frame/help.h"

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
  for (const Verb* verb : table) {
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
  for (const Verb* verb : table) out += verb_section(*verb);
  out += ".SH \"GLOBAL FLAGS\"\nUnderstood by every verb, before it or after it.\n" + flag_items(global_flags());
  out += kEnd;
  return out + ".SH EXAMPLES\n" + examples(table);
}

}  // namespace orrery::cli
