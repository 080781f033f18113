#include "cli/frame/help.h"
#include "cli/frame/invocation.h"
#include "cli/frame/verbs.h"

namespace orrery::cli {
namespace {

ExitCode run_help(Invocation& invocation) {
  report::Answer answer = invocation.context().answer();
  tell_verbs(answer.facts(), invocation.table());
  const std::size_t columns = answer.columns();
  if (invocation.operands().empty()) {
    answer.text(program_help(invocation.table(), columns, invocation.style()));
  } else {
    const Verb* verb = find_verb(invocation.table(), invocation.operands().front());
    answer.text(verb_help(verb == nullptr ? help_verb() : *verb, columns, invocation.style()));
  }
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
      .operands = {.name = "VERB", .help = "the verb to describe", .min = 0, .max = 1, .verb_names = true},
      .examples = {{"orrery help", "the verbs and the flags that all of them understand"}},
      .run = run_help,
  };
  return verb;
}

}  // namespace orrery::cli
