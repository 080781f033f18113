// A workload on a machine with one of our own models: what the pieces of this folder are for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "simulate/engine/options.h"
#include "simulate/loggops/loggops.h"
#include "simulate/models/oracle_model.h"
#include "simulate/schedule.h"
#include "simulate/schedule_sink.h"
#include "workload/source.h"
#include "workload/workload.h"

namespace orrery::simulate {

/// What the machine says about its devices; compute times as recorded.
EngineOptions engine_options(const machine::Machine& machine);

/// As above, but compute times from operations, bytes and the machine's rates for `type`: the matrix units' if it has any, else the vector
/// units'. An Error names the rate that the machine lacks.
Result<EngineOptions> roofline_options(const machine::Machine& machine, machine::DataType type);

struct NativeOutcome {
  Schedule schedule;
  std::vector<std::string> link_names;  ///< by link; none if the model knows no links
};

/// `model` is a name of machine::kNetworkModelNames other than astra-sidecar. Ranks are devices: rank r runs on device r; there may be more devices than ranks.
/// `placement` is for the model loggops.
Result<NativeOutcome> simulate_on_machine(const workload::Workload& workload, const machine::Machine& machine, std::string_view model,
                                          const EngineOptions& options, loggops::Placement placement = loggops::Placement::by_kind);

/// A job that is made while it runs, with a model of links (simulate/models/factory.h): its activities and collectives go to `sink`.
Result<NativeOutcome> simulate_on_machine(workload::WorkloadSource& source, const machine::Machine& machine, std::string_view model,
                                          const EngineOptions& options, ScheduleSink& sink);

/// Communication takes what `oracle` says: see OracleModel.
Result<NativeOutcome> simulate_with_oracle(const workload::Workload& workload, OracleModel::Oracle oracle, const EngineOptions& options);

}  // namespace orrery::simulate
