// What a simulation is made of: the workload, and the machine in our words or in ASTRA-sim's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ask/context.h"
#include "ask/fields.h"
#include "base/result.h"
#include "job/read/astra_input.h"
#include "machine/astra_system.h"
#include "machine/machine.h"
#include "workload/source.h"
#include "workload/workload.h"

namespace orrery::ask {

inline constexpr std::pair<std::string_view, bool> kTruthWords[] = {{"true", true}, {"false", false}};

struct SimulationInputs {
  std::vector<std::string> files = {};  ///< instead of `workload`: files of a recorded job, or a prefix
  std::optional<std::string> workload = {};
  std::optional<std::string> machine = {};  ///< a file, or the name of a machine that is shipped
  // Instead of `machine`, ASTRA-sim's files.
  std::optional<std::string> network = {};
  std::optional<std::string> system = {};
  std::optional<std::string> memory = {};
  std::string groups = {};                          ///< a file of communicators; empty: none
  std::optional<std::int64_t> queues_per_dim = {};  ///< with ASTRA-sim's answer: per network dimension; none: one
  std::optional<double> injection_scale = {};       ///< multiplies the endpoint delay
  bool rendezvous = false;                          ///< ask before sending

  /// The machine is described in ASTRA-sim's words.
  [[nodiscard]] bool has_astra_system() const { return network.has_value(); }
  [[nodiscard]] job::AstraInput astra() const {
    return {network.value_or(""), system.value_or(""), memory.value_or("")};
  }
  /// Whichever way the workload is named.
  [[nodiscard]] std::vector<std::string> named() const;
};

/// "empty" is what ASTRA-sim's own flag has for "none", and its scripts pass on.
Status parse_astra_groups(std::string_view text, std::string& out);

/// ASTRA-sim's names come first: ours win where both are given.
template <typename Visitor>
void fields(SimulationInputs& inputs, Visitor&& visit) {
  visit("workload-configuration", inputs.workload);
  visit("workload", inputs.workload);
  visit("machine", inputs.machine);
  visit("network-configuration", inputs.network);
  visit("network", inputs.network);
  visit("system-configuration", inputs.system);
  visit("system", inputs.system);
  visit("remote-memory-configuration", inputs.memory);
  visit("memory", inputs.memory);
  visit("comm-group-configuration", written(inputs.groups, parse_astra_groups));
  visit("comm-group", inputs.groups);
  visit("num-queues-per-dim", inputs.queues_per_dim);
  visit("queues-per-dim", inputs.queues_per_dim);
  visit("injection-scale", inputs.injection_scale);
  visit("rendezvous-protocol", choice(inputs.rendezvous, kTruthWords));
}

/// What is missing or contradicts itself, if anything: a misuse.
Status check(const SimulationInputs& inputs);

Result<machine::AstraSystem> load_astra_system(Context& context, const SimulationInputs& inputs);
/// A file, or the name of a machine that is shipped.
Result<machine::Machine> load_machine(Context& context, const std::string& name);

struct SimulatedWorkload {
  workload::Workload workload;
  bool is_placed = false;  ///< it says what runs on which processor, as GOAL schedules do
};
/// A job of many steps, to be made while it runs; null if what is named is none.
Result<std::unique_ptr<workload::WorkloadSource>> open_workload(Context& context, const SimulationInputs& inputs);
/// Programs, or traces of any kind, which are linked; with their groups. `ranks`: as many as there must be; 0: as many
/// as there are. `strict`: of more files the first `ranks` count, and what ASTRA-sim breaks at is an Error, not a
/// remark.
Result<SimulatedWorkload> load_workload(Context& context, const SimulationInputs& inputs, std::size_t ranks,
                                        bool strict);

}  // namespace orrery::ask
