#include <string>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/interrupt.h"
#include "base/team/process_team.h"
#include "cli/frame/console.h"
#include "cli/frame/run.h"
#include "cli/frame/team_run.h"
#include "cli/frame/verbs.h"

namespace {

// Of a job read rank by rank little stays of each rank. In a common heap that little would keep the large blocks around
// it from going back to the system when they are freed; left alone, malloc puts ever larger blocks there.
void map_large_blocks() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 256 << 10);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  map_large_blocks();
  orrery::clean_up_when_interrupted();
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const orrery::cli::Console console = orrery::cli::system_console();
  if (const orrery::LaunchedAs launched = orrery::launched_as(); launched.processes > 1)
    return orrery::cli::run_as_team(launched, arguments, console, orrery::cli::verbs());
  return static_cast<int>(orrery::cli::run(arguments, console, orrery::cli::verbs()));
}
