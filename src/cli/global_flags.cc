#include "cli/global_flags.h"

namespace orrery::cli {

const std::vector<Flag>& global_flags() {
  static const std::string_view group = "Global flags";
  static const std::vector<Flag> flags = {
      {.name = "json", .help = "print one JSON object with data, diagnostics and provenance", .group = group},
      {.name = "output", .short_name = 'o', .value_name = "FILE", .kind = ValueKind::file,
       .help = "write to FILE what would go to standard output; FILE is complete or left as it was", .group = group},
      {.name = "quiet", .short_name = 'q', .help = "hide notes, warnings and progress", .group = group},
      {.name = "verbose", .short_name = 'v', .help = "say what is done, and what it cost in time and memory", .group = group},
      {.name = "threads", .value_name = "N", .kind = ValueKind::count, .help = "use at most N threads; 0: one per core; results do not depend on N",
       .default_text = "0", .group = group},
      {.name = "no-color", .help = "no colours, even at a terminal; the variable NO_COLOR does the same", .group = group},
      {.name = "help", .short_name = 'h', .help = "describe the program or the verb", .group = group},
      {.name = "version", .help = "print the version", .group = group},
  };
  return flags;
}

}  // namespace orrery::cli
