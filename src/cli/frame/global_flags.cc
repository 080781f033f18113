#include "cli/frame/global_flags.h"

namespace orrery::cli {

const std::vector<Flag>& global_flags() {
  static const std::vector<Flag> flags = [] {
    std::vector<Flag> list = {
        {.name = "json", .help = "print one JSON object with data, diagnostics and provenance"},
        {.name = "output",
         .short_name = 'o',
         .value_name = "FILE",
         .kind = ValueKind::output,
         .help = "write to FILE instead of standard output, all of it or nothing; -: standard output"},
        {.name = "quiet", .short_name = 'q', .help = "hide notes, warnings and progress"},
        {.name = "verbose", .short_name = 'v', .help = "say what is done, and what it cost in time and memory"},
        {.name = "threads",
         .value_name = "N",
         .kind = ValueKind::count,
         .help = "use at most N threads; 0: one per core; results do not depend on N",
         .default_text = "0"},
        {.name = "no-color", .help = "no colours, even at a terminal; the variable NO_COLOR does the same"},
        {.name = "help", .short_name = 'h', .help = "describe the program or the verb"},
        {.name = "version", .help = "print the version"},
    };
    for (Flag& flag : list) flag.group = "Global flags";
    return list;
  }();
  return flags;
}

std::vector<Flag> global_flags(const Verb& verb) {
  std::vector<Flag> flags = global_flags();
  for (Flag& flag : flags) {
    if (flag.name == "output" && !verb.output_help.empty()) flag.help = verb.output_help;
  }
  return flags;
}

}  // namespace orrery::cli
