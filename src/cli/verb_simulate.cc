// orrery simulate: run this workload on that machine.
#include <fmt/format.h>

#include <algorithm>

#include "cli/simulate_report.h"
#include "cli/verbs.h"
#include "formats/astra/config.h"
#include "formats/chakra/reader.h"
#include "simulate/astra/simulation.h"

namespace orrery::cli {
namespace {

using simulate::astra::Backend;

/// The value of a flag under our name or ASTRA-sim's.
std::string either(const Invocation& invocation, std::string_view ours, std::string_view theirs) {
  return invocation.has(ours) || !invocation.has(theirs) ? invocation.text(ours) : invocation.text(theirs);
}

bool given(const Invocation& invocation, std::string_view ours, std::string_view theirs) {
  return invocation.has(ours) || invocation.has(theirs);
}

Result<machine::AstraSystem> load_system(Invocation& invocation) {
  machine::AstraSystem system;
  const std::string network = either(invocation, "network", "network-configuration");
  const std::string description = either(invocation, "system", "system-configuration");
  auto dimensions = astra::read_network(network);
  if (!dimensions) return dimensions.error();
  system.dimensions = std::move(*dimensions);
  if (const Status read = astra::read_system(description, system, invocation.diagnostics()); !read) return read.error();
  for (const std::string& path : {network, description}) {
    if (const Status added = invocation.add_input(path); !added) return added.error();
  }
  if (given(invocation, "memory", "remote-memory-configuration")) {
    if (const Status read = astra::read_remote_memory(either(invocation, "memory", "remote-memory-configuration"), system); !read)
      return read.error();
  }
  if (invocation.has("injection-scale")) {
    system.endpoint_delay_ns =
        static_cast<std::int64_t>(static_cast<double>(system.endpoint_delay_ns) * invocation.number("injection-scale"));
  }
  system.rendezvous = invocation.text("rendezvous-protocol") == "true";
  const std::string_view queues = invocation.has("num-queues-per-dim") ? "num-queues-per-dim" : "queues-per-dim";
  system.queues_per_dim = std::max<std::int64_t>(1, invocation.integer(queues));
  return system;
}

Result<graph::Workload> load_workload(Invocation& invocation, std::size_t ranks) {
  const std::string prefix = either(invocation, "workload", "workload-configuration");
  auto workload = chakra::read_workload(prefix, ranks);
  if (!workload) return workload.error();
  const std::string groups = either(invocation, "comm-group", "comm-group-configuration");
  if (!groups.empty() && groups.find("empty") == std::string::npos) {
    if (const Status read = astra::read_groups(groups, *workload); !read) return read.error();
  }
  return workload;
}

ExitCode simulate_compatibly(Invocation& invocation, std::string_view compat) {
  const auto system = load_system(invocation);
  if (!system) return invocation.fail(system.error());
  const auto workload = load_workload(invocation, system->npus());
  if (!workload) return invocation.fail(workload.error());
  simulate::astra::Options options;
  options.backend = compat == "astra-unaware" ? Backend::unaware : compat == "astra-aware" ? Backend::aware : Backend::aware_multi_dim;
  options.use_symmetry = !invocation.has("no-symmetry");
  auto outcome = simulate::astra::simulate(*workload, *system, options);
  if (!outcome) return invocation.fail(outcome.error());
  const SimulationReport report{*workload, outcome->schedule, outcome->link_names, std::string(compat), outcome->events};
  report_simulation(invocation, report);
  return ExitCode::ok;
}

ExitCode run_simulate(Invocation& invocation) {
  if (!given(invocation, "workload", "workload-configuration"))
    return invocation.fail_usage({"no workload given", "like --workload DIR/PREFIX for DIR/PREFIX.0.et, ..."});
  const bool has_network = given(invocation, "network", "network-configuration");
  const bool has_system = given(invocation, "system", "system-configuration");
  if (has_network != has_system) return invocation.fail_usage({"--network and --system belong together"});
  if (!has_network) return invocation.fail_usage({"no machine given", "--network FILE.yml --system FILE.json"});
  const std::string compat = invocation.text("compat");
  return simulate_compatibly(invocation, compat.empty() ? "astra-aware-md" : compat);
}

}  // namespace

const Verb& simulate_verb() {
  static constexpr std::string_view kTheirs = "Flags of ASTRA-sim, so that its scripts keep working";
  static const Verb verb = {
      .name = "simulate",
      .summary = "run this workload on that machine",
      .description =
          "Executes a workload (Chakra execution traces, one per rank) on a described machine and tells when every rank finishes, how much "
          "of its "
          "communication is exposed, and how every link is used.\n\n"
          "With --compat the times are those of ASTRA-sim's analytical backends to the nanosecond.",
      .flags =
          {
              Flag{.name = "workload",
                   .value_name = "PREFIX",
                   .kind = ValueKind::file,
                   .help = "the files PREFIX.0.et, PREFIX.1.et, ... (also .et.gz, .json)"},
              Flag{.name = "network", .value_name = "FILE", .kind = ValueKind::file, .help = "ASTRA-sim's network.yml"},
              Flag{.name = "system", .value_name = "FILE", .kind = ValueKind::file, .help = "ASTRA-sim's system.json"},
              Flag{.name = "memory", .value_name = "FILE", .kind = ValueKind::file, .help = "ASTRA-sim's remote memory JSON"},
              Flag{.name = "comm-group", .value_name = "FILE", .kind = ValueKind::file, .help = "communicators: {\"1\": [0, 1, 2, 3]}"},
              Flag{.name = "compat",
                   .value_name = "TOOL",
                   .help = "reproduce a simulator exactly",
                   .choices = "astra-unaware astra-aware astra-aware-md"},
              Flag{.name = "queues-per-dim",
                   .value_name = "N",
                   .kind = ValueKind::count,
                   .help = "queues per network dimension",
                   .default_text = "1"},
              Flag{.name = "per-node", .help = "also list the start and end of every node"},
              Flag{.name = "no-symmetry", .help = "simulate every rank, also where one stands for all"},
              Flag{.name = "workload-configuration",
                   .value_name = "PREFIX",
                   .kind = ValueKind::file,
                   .help = "--workload",
                   .group = kTheirs},
              Flag{.name = "system-configuration", .value_name = "FILE", .kind = ValueKind::file, .help = "--system", .group = kTheirs},
              Flag{.name = "network-configuration", .value_name = "FILE", .kind = ValueKind::file, .help = "--network", .group = kTheirs},
              Flag{.name = "remote-memory-configuration",
                   .value_name = "FILE",
                   .kind = ValueKind::file,
                   .help = "--memory",
                   .group = kTheirs},
              Flag{.name = "comm-group-configuration",
                   .value_name = "FILE",
                   .kind = ValueKind::file,
                   .help = "--comm-group",
                   .group = kTheirs},
              Flag{.name = "num-queues-per-dim", .value_name = "N", .kind = ValueKind::count, .help = "--queues-per-dim", .group = kTheirs},
              Flag{.name = "injection-scale",
                   .value_name = "X",
                   .kind = ValueKind::number,
                   .help = "multiplies the endpoint delay",
                   .group = kTheirs},
              Flag{.name = "rendezvous-protocol",
                   .value_name = "BOOL",
                   .help = "ask before sending",
                   .choices = "true false",
                   .group = kTheirs},
              Flag{.name = "comm-scale",
                   .value_name = "X",
                   .kind = ValueKind::number,
                   .help = "accepted and without effect, as there",
                   .group = kTheirs},
              Flag{.name = "compute-scale",
                   .value_name = "X",
                   .kind = ValueKind::number,
                   .help = "accepted and without effect, as there",
                   .group = kTheirs},
              Flag{.name = "logging-folder",
                   .value_name = "DIR",
                   .kind = ValueKind::directory,
                   .help = "accepted and without effect",
                   .group = kTheirs},
              Flag{.name = "logging-configuration",
                   .value_name = "FILE",
                   .kind = ValueKind::file,
                   .help = "accepted and without effect",
                   .group = kTheirs},
          },
      .examples = {{"orrery simulate --workload et/ar --network ring.yml --system system.json --compat astra-unaware",
                    "what ASTRA-sim says, in a fraction of the time"}},
      .run = run_simulate,
  };
  return verb;
}

}  // namespace orrery::cli
