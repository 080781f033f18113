#include "cli/frame/completion.h"
#include "cli/frame/invocation.h"
#include "cli/frame/verbs.h"

namespace orrery::cli {
namespace {

ExitCode run_completion(Invocation& invocation) {
  const std::string& shell = invocation.operands().front();
  std::string& script = invocation.text();
  if (shell == "bash") script = bash_completion(invocation.table());
  else if (shell == "zsh") script = zsh_completion(invocation.table());
  else script = fish_completion(invocation.table());
  invocation.data().field("shell", shell).field("script", script);
  return ExitCode::ok;
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
