#include "cli/frame/help.h"
#include "cli/frame/invocation.h"
#include "cli/frame/verbs.h"

namespace orrery::cli {
namespace {

ExitCode run_man(Invocation& invocation) {
  const std::string page = man_page(invocation.table());
  report::Answer answer = invocation.context().answer();
  answer.text(page).facts().field("page", page);
  return invocation.deliver(std::move(answer));
}

}  // namespace

const Verb& man_verb() {
  static const Verb verb = {
      .name = "man",
      .summary = "print the manual page",
      .description = "The page is in roff, as man(1) reads it; `make install` installs it.",
      .examples = {{"orrery man | man -l -", "the manual page of this very program"}},
      .run = run_man,
  };
  return verb;
}

}  // namespace orrery::cli
