#include "cli/workloads/simulate_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/frame/load.h"
#include "formats/astra/config.h"
#include "formats/chakra/rank_files.h"
#include "formats/chakra/reader.h"
#include "job/read/workload_input.h"
#include "job/shipped/shipped_machines.h"
#include "report/counted.h"

namespace orrery::cli {
namespace {

constexpr std::string_view kAstraFlags = "Flags of ASTRA-sim, so that its scripts keep working";

/// A flag under our name, and the one ASTRA-sim has for it.
struct Names {
  std::string_view ours, theirs;
};
constexpr Names kWorkload{"workload", "workload-configuration"};
constexpr Names kNetwork{"network", "network-configuration"};
constexpr Names kSystem{"system", "system-configuration"};
constexpr Names kMemory{"memory", "remote-memory-configuration"};
constexpr Names kGroups{"comm-group", "comm-group-configuration"};
constexpr Names kQueues{"queues-per-dim", "num-queues-per-dim"};

bool given(const Invocation& invocation, Names names) {
  return invocation.has(names.ours) || invocation.has(names.theirs);
}

std::string_view chosen(const Invocation& invocation, Names names) {
  return !invocation.has(names.ours) && invocation.has(names.theirs) ? names.theirs : names.ours;
}

std::string text(const Invocation& invocation, Names names) { return invocation.text(chosen(invocation, names)); }

/// "empty" is what ASTRA-sim's own flag has for "none", and its scripts pass on.
std::string groups_file(const Invocation& invocation) {
  const std::string file = text(invocation, kGroups);
  return file == "empty" && chosen(invocation, kGroups) == kGroups.theirs ? "" : file;
}

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

bool has_astra_system(const Invocation& invocation) { return given(invocation, kNetwork); }

std::optional<UsageError> check_simulation_flags(const Invocation& invocation) {
  if (given(invocation, kWorkload) == !invocation.operands().empty()) {
    return UsageError{
        invocation.operands().empty() ? "no workload given" : "two workloads given",
        "like --workload DIR/PREFIX for DIR/PREFIX.0.et, DIR/PREFIX.1.et, ..., or the files of a recorded job"};
  }
  if (given(invocation, kNetwork) != given(invocation, kSystem))
    return UsageError{"--network and --system belong together"};
  // Exactly one of the two descriptions: none leaves nothing to run on, and two may disagree.
  if (given(invocation, kNetwork) == invocation.has("machine")) {
    return UsageError{invocation.has("machine") ? "two machines given" : "no machine given",
                      "--machine FILE.yaml, or --network FILE.yml --system FILE.json"};
  }
  if (given(invocation, kMemory) && !given(invocation, kNetwork))
    return UsageError{"--memory belongs to --network and --system"};
  return std::nullopt;
}

job::AstraInput astra_input(const Invocation& invocation) {
  return {text(invocation, kNetwork), text(invocation, kSystem),
          given(invocation, kMemory) ? text(invocation, kMemory) : ""};
}

Result<machine::AstraSystem> load_astra_system(Invocation& invocation) {
  const job::AstraInput input = astra_input(invocation);
  Result<machine::AstraSystem> system = job::read_astra_system(input, invocation.diagnostics());
  if (!system) return system;
  if (invocation.has("injection-scale")) {
    system->endpoint_delay_ns = static_cast<std::int64_t>(static_cast<double>(system->endpoint_delay_ns) *
                                                          std::max(0.0, invocation.number("injection-scale")));
  }
  system->rendezvous = invocation.text("rendezvous-protocol") == "true";
  // A bound on what one flag can make every rank allocate.
  system->queues_per_dim = std::clamp<std::int64_t>(invocation.integer(chosen(invocation, kQueues)), 1, 4096);
  for (const std::string& path : input.files()) {
    if (const Status added = invocation.add_input(path); !added) return added.error();
  }
  return system;
}

Result<machine::Machine> load_machine(Invocation& invocation, std::string_view flag) {
  const std::string name = invocation.text(flag);
  auto machine = job::read_machine(name);
  if (!machine) return machine;
  if (const Status added = invocation.add_input(job::machine_path(name)); !added) return added.error();
  return machine;
}

namespace {

/// As ASTRA-sim has it: the first `ranks` files of the prefix, and what it breaks at is an Error.
Result<workload::Workload> load_strictly(Invocation& invocation, const std::string& prefix, std::size_t ranks) {
  for (const chakra::RankFile& file : chakra::find_rank_files(prefix)) {
    if (const Status added = invocation.add_input(file.path); !added) return added.error();
  }
  auto workload = chakra::read_workload(prefix, ranks, {});
  if (!workload) return workload;
  if (const std::string groups = groups_file(invocation); !groups.empty()) {
    if (const Status read = astra::read_groups(groups, *workload); !read) return read.error();
    if (const Status added = invocation.add_input(groups); !added) return added.error();
  }
  return workload;
}

std::vector<std::string> named_workload(const Invocation& invocation) {
  std::vector<std::string> named = invocation.operands();
  if (given(invocation, kWorkload)) named.push_back(text(invocation, kWorkload));
  return named;
}

}  // namespace

Result<std::unique_ptr<workload::WorkloadSource>> open_workload(Invocation& invocation) {
  const std::vector<std::string> named = named_workload(invocation);
  std::error_code ignored;
  if (named.size() != 1 || !std::filesystem::is_regular_file(named.front(), ignored))
    return std::unique_ptr<workload::WorkloadSource>();
  Diagnostics unused;  // what there is to remark is remarked when it is read
  const Result<job::Source> source = job::find_source(named, {}, unused);
  if (!source) return source.error();
  Progress progress = invocation.progress("reading", 0);
  return job::open_workload(*source, reading_of(invocation, progress));
}

Result<SimulatedWorkload> load_workload(Invocation& invocation, std::size_t ranks, bool strict) {
  const std::vector<std::string> named = named_workload(invocation);
  std::error_code ignored;
  // ASTRA-sim knows prefixes only, and takes the first files of them; what is a file or folder goes the way of every
  // other verb.
  if (strict && !std::filesystem::exists(named.front(), ignored)) {
    auto workload = load_strictly(invocation, named.front(), ranks);
    if (!workload) return workload.error();
    return SimulatedWorkload{std::move(*workload), false};
  }
  const Result<job::Source> source = job::find_source(named, {}, invocation.diagnostics());
  if (!source) return source.error();
  job::WorkloadRequest request;
  request.groups_file = groups_file(invocation);
  request.micros_only = strict;
  request.keep_roles = !strict;  // ASTRA-sim's groups are lists of ranks
  Progress progress = invocation.progress("reading", total_bytes(source->all_files()));
  Result<job::WorkloadInput> input = job::read_workload(*source, request, reading_of(invocation, progress));
  if (!input) return input.error();
  if (ranks != 0 && input->workload.rank_count() != ranks) {
    return Error{fmt::format("the workload has {}, the network {}",
                             report::counted(input->workload.rank_count(), "rank"), report::counted(ranks, "NPU")),
                 named.front()};
  }
  return SimulatedWorkload{std::move(input->workload), source->format->name == "goal"};
}

}  // namespace orrery::cli
