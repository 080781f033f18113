// The mode snapshot: run alone, take the sets that were under way together, price them, run again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "simulate/pricing/pricing.h"
#include "simulate/pricing/pricing_report.h"
#include "simulate/pricing/snapshot_pricer.h"
#include "simulate/schedule.h"

namespace orrery::simulate {

struct SnapshotOutcome {
  Schedule schedule;
  PricingReport report;
  std::optional<SnapshotManifest> manifest = {};
};

struct SnapshotRun {
  /// Executes the workload on a model; `last` if the outcome may be kept: what went before need not be told to anybody.
  std::function<Result<Schedule>(NetworkModel& model, bool last)> execute = {};
  /// By CommOp::flow of collectives: what their group is called.
  std::vector<std::string> group_names = {};
  bool keep = true;  ///< what sharing cost, and the manifest; else nothing but the schedule
};

/// Sets are taken from the isolated schedule, and once more from the one that came of it if starts moved by more than
/// the options allow or operations met others; the second is kept, whatever it says: more passes do not converge. Fills
/// of the report what the passes know.
Result<SnapshotOutcome> run_snapshots(const SnapshotRun& run, SnapshotPricer& pricer, Lowering& lowering,
                                      const PricingOptions& options, Diagnostics& diagnostics);

}  // namespace orrery::simulate
