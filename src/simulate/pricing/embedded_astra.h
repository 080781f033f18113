// The exact ASTRA-sim models of simulate/astra as somebody who can be asked for prices, or who runs a whole workload.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/astra_system.h"
#include "machine/machine.h"
#include "simulate/astra/simulation.h"
#include "simulate/engine/options.h"
#include "simulate/network_model.h"
#include "simulate/pricing/pricing.h"
#include "simulate/schedule.h"
#include "simulate/schedule_sink.h"
#include "workload/source.h"

namespace orrery::simulate {

class EmbeddedAstra {
 public:
  /// The machine as machine::to_astra() writes it down; its Error is that one's, or says that the backend does not take
  /// so many dimensions.
  static Result<EmbeddedAstra> open(const machine::Machine& machine, AstraBackend backend);

  /// How long each takes when all start at once: from then until the last participant has done its part. Operations of
  /// one rank take their turns there, in the order of `ops`: ASTRA-sim communicates one thing at a time. An Error is
  /// that of astra::simulate.
  Result<std::vector<TimePs>> ask(std::span<const CommOp> ops) const;

  [[nodiscard]] const machine::AstraSystem& system() const { return system_; }
  [[nodiscard]] astra::Backend backend() const { return backend_; }
  [[nodiscard]] bool raised_endpoint_delay() const { return raised_endpoint_delay_; }
  /// Of the model, its backend and the system: whatever prices depend on, besides operations.
  [[nodiscard]] const std::string& version() const { return version_; }

 private:
  EmbeddedAstra(machine::AstraSystem system, astra::Backend backend, bool raised, std::string version)
      : system_(std::move(system)), backend_(backend), raised_endpoint_delay_(raised), version_(std::move(version)) {}

  machine::AstraSystem system_;
  astra::Backend backend_;
  bool raised_endpoint_delay_;
  std::string version_;
};

struct AstraRun {
  Schedule schedule;  ///< without activities and collectives if they went to a sink
  std::vector<std::string> link_names;
};

/// As if the workload had been written as execution traces and the machine as ASTRA-sim's files: durations are those of
/// its programs, in whole microseconds. `sink`, if there is one, is told afterwards, in the order of time. An Error if
/// the programs say what execution traces have no word for, if compute times are to come from a roofline, or that of
/// astra::simulate.
Result<AstraRun> run_astra_in_loop(workload::WorkloadSource& source, const EmbeddedAstra& model,
                                   const EngineOptions& options, ScheduleSink* sink);

}  // namespace orrery::simulate
