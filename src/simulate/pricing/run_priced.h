// A workload on a machine, its communication priced as a configuration says: the seam between a schedule and whatever knows what its
// communication costs. One engine makes the schedule in every mode; docs/NETWORK_MODELS.md compares the modes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "machine/machine.h"
#include "simulate/engine/options.h"
#include "simulate/pricing/price_oracle.h"
#include "simulate/pricing/pricing_options.h"
#include "simulate/pricing/pricing_report.h"
#include "simulate/pricing/snapshot_manifest.h"
#include "simulate/schedule.h"
#include "simulate/schedule_sink.h"
#include "workload/source.h"

namespace orrery::simulate {

struct PricedRun {
  Schedule schedule;                    ///< without activities and collectives if they went to a sink
  std::vector<std::string> link_names;  ///< by link; none where the model knows no links
  PricingReport report;
  std::optional<SnapshotManifest> manifest = {};  ///< of the mode snapshot
};

/// Ranks are devices: rank r runs on device r; there may be more devices than ranks. `sink`, if there is one, gets the activities and
/// collectives; it is begun anew when the run is. `oracle` answers for PricingOptions::astra_sim, which job::run_priced_job knows how to run.
/// Counted in `diagnostics`: sets that could not be priced (S110), a run that sharing made faster (S111), a partition by fabric where fabrics
/// share links (S112), a cache that cannot be read or written (S113), operations that the model has no price for (S114).
/// An Error: options that do not go together, a machine that the model has no words for, or whatever the engine refuses.
Result<PricedRun> run_priced(workload::WorkloadSource& source, const machine::Machine& machine, const PricingOptions& options,
                             const EngineOptions& engine, Diagnostics& diagnostics, ScheduleSink* sink = nullptr,
                             const PriceOracle& oracle = {});

/// The same for a workload in memory.
Result<PricedRun> run_priced(const workload::Workload& workload, const machine::Machine& machine, const PricingOptions& options,
                             const EngineOptions& engine, Diagnostics& diagnostics, ScheduleSink* sink = nullptr,
                             const PriceOracle& oracle = {});

}  // namespace orrery::simulate
