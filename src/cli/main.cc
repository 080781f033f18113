#include <string>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/interrupt.h"
#include "base/process_team.h"
#include "cli/console.h"
#include "cli/run.h"
#include "cli/team_run.h"
#include "cli/verbs.h"

namespace {

// What one part of a file needs and gives back the next part needs again: handing it to the system in between costs a page fault per page.
void keep_freed_memory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 4 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 512 << 20);
  ::mallopt(M_TOP_PAD, 4 << 20);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  orrery::clean_up_when_interrupted();
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const orrery::cli::Console console = orrery::cli::system_console();
  if (const orrery::LaunchedAs launched = orrery::launched_as(); launched.processes > 1)
    return orrery::cli::run_as_team(launched, arguments, console, orrery::cli::verbs());
  return static_cast<int>(orrery::cli::run(arguments, console, orrery::cli::verbs()));
}
