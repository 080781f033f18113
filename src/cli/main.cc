#include <string>
#include <vector>

#include "base/interrupt.h"
#include "base/process_team.h"
#include "cli/console.h"
#include "cli/run.h"
#include "cli/team_run.h"
#include "cli/verbs.h"

int main(int argc, char** argv) {
  orrery::clean_up_when_interrupted();
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const orrery::cli::Console console = orrery::cli::system_console();
  if (const orrery::LaunchedAs launched = orrery::launched_as(); launched.processes > 1)
    return orrery::cli::run_as_team(launched, arguments, console, orrery::cli::verbs());
  return static_cast<int>(orrery::cli::run(arguments, console, orrery::cli::verbs()));
}
