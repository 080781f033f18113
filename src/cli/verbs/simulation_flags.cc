#include "cli/verbs/simulation_flags.h"

#include <string>

#include "cli/frame/shared_flags.h"
#include "machine/communication.h"

namespace orrery::cli {
namespace {

// As flags have their choices: with blanks between them.
const std::string& network_model_choices() {
  static const std::string words = [] {
    std::string joined;
    for (const std::string_view name : machine::kNetworkModelNames)
      joined += (joined.empty() ? "" : " ") + std::string(name);
    return joined;
  }();
  return words;
}

}  // namespace

Flag network_model_flag(std::string_view help) {
  return {.name = "network-model", .value_name = "NAME", .help = help, .choices = network_model_choices()};
}

std::vector<Flag> with_network_flags(std::vector<Flag> flags, std::string_view help) {
  flags.insert(flags.end(),
               {network_model_flag(help),
                Flag{.name = "pricing",
                     .value_name = "FILE",
                     .kind = ValueKind::file,
                     .help = "the same in full: a file with the `network:` block of a configuration of llm"},
                Flag{.name = "sidecar",
                     .value_name = "FILE",
                     .kind = ValueKind::file,
                     .help = "with astra-sidecar: your ASTRA-sim"},
                Flag{.name = "sidecar-timeout",
                     .value_name = "SECONDS",
                     .kind = ValueKind::number,
                     .help = "with astra-sidecar: give a run up after this long"},
                Flag{.name = "sidecar-cache",
                     .value_name = "DIR",
                     .kind = ValueKind::directory,
                     .help = "with astra-sidecar: keep its answers here"}});
  return flags;
}

Flag report_flag() {
  return {
      .name = "report",
      .value_name = "FILE",
      .kind = ValueKind::output,
      .help =
          "also write a page for a browser (FILE.html): the run, its links over time, and the machine coloured by use"};
}

std::vector<Flag> with_run_flags(std::vector<Flag> flags) {
  flags.insert(
      flags.end(),
      {csv_flag(), Flag{.name = "per-node", .help = "also list the start and end of every node"},
       Flag{.name = "path",
            .help = "also the critical path of the run, across ranks, and the sensitivity of the makespan"},
       Flag{.name = "waits", .help = "also what activities waited for, and for which ranks"},
       Flag{.name = "no-symmetry", .help = "simulate every rank, also where one stands for all"}, report_flag()});
  return flags;
}

namespace {

constexpr std::string_view kAstraFlags = "Flags of ASTRA-sim, so that its scripts keep working";

}  // namespace

std::vector<Flag> with_simulation_flags(std::vector<Flag> flags) {
  const std::vector<Flag> inputs = {
      Flag{.name = "workload",
           .value_name = "PREFIX",
           .kind = ValueKind::file,
           .help = "the files PREFIX.0.et, PREFIX.1.et, ... (also .et.gz, .json), or a file or folder: traces, "
                   "programs, a GOAL schedule, "
                   "a recipe "
                   "(orrery generate pipeline)"},
      Flag{.name = "machine",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "a machine description (YAML), or the name of a shipped one: dgx_h100"},
      Flag{.name = "network",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "instead of --machine: ASTRA-sim's network.yml"},
      Flag{.name = "system",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "with --network: ASTRA-sim's system.json"},
      Flag{.name = "memory",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "with --network: ASTRA-sim's remote memory JSON"},
      Flag{.name = "comm-group",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "communicators as JSON: {\"1\": [0, 1, 2, 3]}"},
      Flag{.name = "queues-per-dim",
           .value_name = "N",
           .kind = ValueKind::count,
           .help = "with --compat: queues per network dimension",
           .default_text = "1"},
  };
  const std::vector<Flag> theirs = {
      Flag{.name = "workload-configuration",
           .value_name = "PREFIX",
           .kind = ValueKind::file,
           .help = "--workload",
           .group = kAstraFlags},
      Flag{.name = "system-configuration",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "--system",
           .group = kAstraFlags},
      Flag{.name = "network-configuration",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "--network",
           .group = kAstraFlags},
      Flag{.name = "remote-memory-configuration",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "--memory",
           .group = kAstraFlags},
      Flag{.name = "comm-group-configuration",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "--comm-group",
           .group = kAstraFlags},
      Flag{.name = "num-queues-per-dim",
           .value_name = "N",
           .kind = ValueKind::count,
           .help = "--queues-per-dim",
           .group = kAstraFlags},
      Flag{.name = "injection-scale",
           .value_name = "X",
           .kind = ValueKind::number,
           .help = "multiplies the endpoint delay",
           .group = kAstraFlags},
      Flag{.name = "rendezvous-protocol",
           .value_name = "BOOL",
           .help = "ask before sending",
           .choices = "true false",
           .group = kAstraFlags},
      Flag{.name = "comm-scale",
           .value_name = "X",
           .kind = ValueKind::number,
           .help = "accepted and without effect, as there",
           .group = kAstraFlags},
      Flag{.name = "compute-scale",
           .value_name = "X",
           .kind = ValueKind::number,
           .help = "accepted and without effect, as there",
           .group = kAstraFlags},
      Flag{.name = "logging-folder",
           .value_name = "DIR",
           .kind = ValueKind::directory,
           .help = "accepted and without effect",
           .group = kAstraFlags},
      Flag{.name = "logging-configuration",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "accepted and without effect",
           .group = kAstraFlags},
  };
  flags.insert(flags.begin(), inputs.begin(), inputs.end());
  flags.insert(flags.end(), theirs.begin(), theirs.end());
  return flags;
}

}  // namespace orrery::cli
