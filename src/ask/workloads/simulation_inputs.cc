#include "ask/workloads/simulation_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "ask/recording.h"
#include "formats/astra/config.h"
#include "formats/chakra/rank_files.h"
#include "formats/chakra/reader.h"
#include "job/read/workload_input.h"
#include "job/shipped/shipped_catalog.h"
#include "report/counted.h"

namespace orrery::ask {

std::vector<std::string> SimulationInputs::named() const {
  std::vector<std::string> all = files;
  if (workload) all.push_back(*workload);
  return all;
}

Status parse_astra_groups(std::string_view text, std::string& out) {
  out = text == "empty" ? "" : text;
  return {};
}

Status check(const SimulationInputs& inputs) {
  if (inputs.workload.has_value() == !inputs.files.empty()) {
    return misuse(
        inputs.files.empty() ? "no workload given" : "two workloads given",
        "like --workload DIR/PREFIX for DIR/PREFIX.0.et, DIR/PREFIX.1.et, ..., or the files of a recorded job");
  }
  if (inputs.network.has_value() != inputs.system.has_value()) return misuse("--network and --system belong together");
  // Exactly one of the two descriptions: none leaves nothing to run on, and two may disagree.
  if (inputs.network.has_value() == inputs.machine.has_value()) {
    return misuse(inputs.machine ? "two machines given" : "no machine given",
                  "--machine FILE.yaml, or --network FILE.yml --system FILE.json");
  }
  if (inputs.memory && !inputs.network) return misuse("--memory belongs to --network and --system");
  return {};
}

Result<machine::AstraSystem> load_astra_system(Context& context, const SimulationInputs& inputs) {
  const job::AstraInput astra = inputs.astra();
  Result<machine::AstraSystem> system = job::read_astra_system(astra, context.diagnostics());
  if (!system) return system;
  if (inputs.injection_scale) {
    system->endpoint_delay_ns = static_cast<std::int64_t>(static_cast<double>(system->endpoint_delay_ns) *
                                                          std::max(0.0, *inputs.injection_scale));
  }
  system->rendezvous = inputs.rendezvous;
  // A bound on what one number can make every rank allocate.
  system->queues_per_dim = std::clamp<std::int64_t>(inputs.queues_per_dim.value_or(1), 1, 4096);
  for (const std::string& path : astra.files()) {
    if (const Status added = context.add_input(path); !added) return added.error();
  }
  return system;
}

Result<machine::Machine> load_machine(Context& context, const std::string& name) {
  auto machine = job::read_machine(name);
  if (!machine) return machine;
  if (const Status added = context.add_input(job::machine_path(name)); !added) return added.error();
  return machine;
}

namespace {

/// As ASTRA-sim has it: the first `ranks` files of the prefix, and what it breaks at is an Error.
Result<workload::Workload> load_strictly(Context& context, const SimulationInputs& inputs, const std::string& prefix,
                                         std::size_t ranks) {
  for (const chakra::RankFile& file : chakra::find_rank_files(prefix)) {
    if (const Status added = context.add_input(file.path); !added) return added.error();
  }
  auto workload = chakra::read_workload(prefix, ranks, {});
  if (!workload) return workload;
  if (!inputs.groups.empty()) {
    if (const Status read = astra::read_groups(inputs.groups, *workload); !read) return read.error();
    if (const Status added = context.add_input(inputs.groups); !added) return added.error();
  }
  return workload;
}

}  // namespace

Result<std::unique_ptr<workload::WorkloadSource>> open_workload(Context& context, const SimulationInputs& inputs) {
  const std::vector<std::string> named = inputs.named();
  std::error_code ignored;
  if (named.size() != 1 || !std::filesystem::is_regular_file(named.front(), ignored))
    return std::unique_ptr<workload::WorkloadSource>();
  Diagnostics unused;  // what there is to remark is remarked when it is read
  const Result<job::Source> source = job::find_source(named, {}, unused);
  if (!source) return source.error();
  Progress progress = context.progress("reading", 0);
  return job::open_workload(*source, reading_of(context, {}, progress));
}

Result<SimulatedWorkload> load_workload(Context& context, const SimulationInputs& inputs, std::size_t ranks,
                                        bool strict) {
  const std::vector<std::string> named = inputs.named();
  std::error_code ignored;
  // ASTRA-sim knows prefixes only, and takes the first files of them; what is a file or folder goes the way of every
  // other verb.
  if (strict && !std::filesystem::exists(named.front(), ignored)) {
    auto workload = load_strictly(context, inputs, named.front(), ranks);
    if (!workload) return workload.error();
    return SimulatedWorkload{std::move(*workload), false};
  }
  const Result<job::Source> source = job::find_source(named, {}, context.diagnostics());
  if (!source) return source.error();
  job::WorkloadRequest request;
  request.groups_file = inputs.groups;
  request.micros_only = strict;
  request.keep_roles = !strict;  // ASTRA-sim's groups are lists of ranks
  Progress progress = context.progress("reading", total_bytes(source->all_files()));
  Result<job::WorkloadInput> input = job::read_workload(*source, request, reading_of(context, {}, progress));
  if (!input) return input.error();
  if (ranks != 0 && input->workload.rank_count() != ranks) {
    return Error{fmt::format("the workload has {}, the network {}",
                             report::counted(input->workload.rank_count(), "rank"), report::counted(ranks, "NPU")),
                 named.front()};
  }
  return SimulatedWorkload{std::move(input->workload), source->format->name == "goal"};
}

}  // namespace orrery::ask
