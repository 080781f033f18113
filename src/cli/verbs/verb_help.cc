#include <fmt/format.h>

#include "cli/frame/help.h"
#include "cli/frame/invocation.h"
#include "cli/frame/verbs.h"

namespace orrery::cli {
namespace {

ExitCode run_help(Invocation& invocation) {
  report::Answer answer = invocation.context().answer();
  tell_verbs(answer.facts(), invocation.table());
  const std::size_t columns = answer.columns();
  const std::vector<std::string>& words = invocation.operands();
  if (words.empty()) {
    answer.text(program_help(invocation.table(), columns, invocation.style()));
    return invocation.deliver(std::move(answer));
  }
  const std::string name = words.size() == 1 ? words[0] : words[0] + " " + words[1];
  const Verb* const verb = find_verb(invocation.table(), name);
  // The first word has been checked, the second has not.
  if (verb == nullptr && words.size() > 1)
    return invocation.fail_usage({.message = fmt::format("there is no `orrery {}`", name),
                                  .hint = fmt::format("`orrery help {}` says what there is", words[0])});
  answer.text(verb_help(verb == nullptr ? help_verb() : *verb, columns, invocation.style()));
  return invocation.deliver(std::move(answer));
}

}  // namespace

const Verb& help_verb() {
  static const Verb verb = {
      .name = "help",
      .summary = "describe a verb and its flags",
      .description =
          "Without an operand, lists the verbs. `orrery VERB --help` is the same as `orrery help VERB`. With --json, "
          "all verbs and flags "
          "as data.",
      .operands = {.name = "VERB",
                   .help = "the verb to describe, and the word behind it: motif run",
                   .min = 0,
                   .max = 2,
                   .verb_names = true},
      .examples = {{"orrery help", "the verbs and the flags that all of them understand"}},
      .run = run_help,
  };
  return verb;
}

}  // namespace orrery::cli
