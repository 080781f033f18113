// The one door to a simulation: a workload on a machine, its communication priced as a Pricing says.
//
// One engine (simulate/engine) executes the workload, whoever prices: models of links in the loop, prices that were
// made before, an oracle outside. Two values of Pricing bring an engine of their own, which replaces it: loggops, since
// LogGOPSim schedules processors, and astra in the loop, since ASTRA-sim's order of events is part of its answer.
// docs/NETWORK_MODELS.md compares them.
//
// One door more is left, astra::simulate (simulate/astra/simulation.h): `--compat astra-*` runs on ASTRA-sim's own
// description of a system, which says more than a Machine does (chunks, policies, collectives as execution traces), to
// the nanosecond of its answer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "machine/machine.h"
#include "simulate/engine/options.h"
#include "simulate/models/phased_model.h"
#include "simulate/pricing/pricing.h"
#include "simulate/pricing/pricing_report.h"
#include "simulate/schedule.h"
#include "simulate/schedule_sink.h"
#include "workload/source.h"
#include "workload/workload.h"

namespace orrery::simulate {

/// What the machine says about its devices; compute times as recorded.
EngineOptions engine_options(const machine::Machine& machine);

/// As above, but compute times from operations, bytes and the machine's rates for `type`: the matrix units' if it has
/// any, else the vector units'. An Error names the rate that the machine lacks.
Result<EngineOptions> roofline_options(const machine::Machine& machine, machine::DataType type);

struct Outcome {
  Schedule schedule;                    ///< without activities and collectives if they went to a sink
  std::vector<std::string> link_names;  ///< by link; none where the model knows no links
  PricingReport report = {};
  std::optional<SnapshotManifest> manifest = {};  ///< of the mode snapshot, if Pricing::keep_snapshots
};

/// Ranks are devices: rank r runs on device r; there may be more devices than ranks. `sink`, if there is one, gets the
/// activities and collectives, and is begun anew when the run is; loggops keeps its schedule whole and takes none.
/// Counted in `diagnostics`: operations that an oracle did not answer for (S104), a machine that had to be described to
/// ASTRA-sim differently (S109), sets that could not be priced (S110), a run that sharing made faster (S111), a
/// partition by fabric where fabrics share links (S112), a cache that cannot be read or written (S113), operations that
/// the model has no price for (S114).
/// An Error: a pricing that does not go together, a machine that the model has no words for, or whatever the engine
/// refuses.
Result<Outcome> run(workload::WorkloadSource& source, const machine::Machine& machine, const Pricing& pricing,
                    const EngineOptions& options, Diagnostics& diagnostics, ScheduleSink* sink = nullptr);

/// The same for a workload in memory.
Result<Outcome> run(const workload::Workload& workload, const machine::Machine& machine, const Pricing& pricing,
                    const EngineOptions& options, Diagnostics& diagnostics, ScheduleSink* sink = nullptr);

/// The links of a machine as a pricing has them, fresh, for whoever owns the loop: run() itself, and recorded graphs
/// (simulate/graph_transfers.h), which are no workload. An Error: a model without links, or a mode without a loop.
Result<std::unique_ptr<PhasedModel>> link_model(std::shared_ptr<Lowering> lowering, const Pricing& pricing);

}  // namespace orrery::simulate
