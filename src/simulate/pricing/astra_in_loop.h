// A whole workload through the exact ASTRA-sim simulation: the mode in-loop of the model astra.
#pragma once

#include "base/result.h"
#include "simulate/engine/options.h"
#include "simulate/pricing/embedded_astra.h"
#include "simulate/schedule.h"
#include "simulate/schedule_sink.h"
#include "workload/source.h"

namespace orrery::simulate {

struct AstraRun {
  Schedule schedule;  ///< without activities and collectives if they went to a sink
  std::vector<std::string> link_names;
};

/// As if the workload had been written as execution traces and the machine as ASTRA-sim's files: durations are those of its programs, in whole
/// microseconds. `sink`, if there is one, is told afterwards, in the order of time. An Error if the programs say what execution traces have
/// no word for, if compute times are to come from a roofline, or that of astra::simulate.
Result<AstraRun> run_astra_in_loop(workload::WorkloadSource& source, const EmbeddedAstra& model, const EngineOptions& options,
                                   ScheduleSink* sink);

}  // namespace orrery::simulate
