#include "cli/frame/completion.h"
#include "cli/frame/invocation.h"
#include "cli/frame/verbs.h"

namespace orrery::cli {
namespace {

ExitCode run_completion(Invocation& invocation) {
  const std::string& shell = invocation.operands().front();
  const std::string script = shell == "bash"  ? bash_completion(invocation.table())
                             : shell == "zsh" ? zsh_completion(invocation.table())
                                              : fish_completion(invocation.table());
  report::Answer answer = invocation.context().answer();
  answer.text(script).facts().field("shell", shell).field("script", script);
  return invocation.deliver(std::move(answer));
}

}  // namespace

const Verb& completion_verb() {
  static const Verb verb = {
      .name = "completion",
      .summary = "print the completion script for a shell",
      .description =
          "The script completes verbs, flags, their choices and files. `make install` puts all three where the shells "
          "look for them.",
      .operands = {.name = "SHELL", .help = "bash, zsh or fish", .min = 1, .max = 1, .choices = "bash zsh fish"},
      .examples = {{"source <(orrery completion bash)", "completion in the running bash"},
                   {"orrery completion fish -o ~/.config/fish/completions/orrery.fish",
                    "completion in every fish to come"}},
      .run = run_completion,
  };
  return verb;
}

}  // namespace orrery::cli
