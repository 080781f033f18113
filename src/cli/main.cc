#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/run.h"
#include "cli/verbs.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  return static_cast<int>(orrery::cli::run(arguments, orrery::cli::system_console(), orrery::cli::verbs()));
}
