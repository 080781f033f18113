// What pricing did, and what sharing cost: the numbers behind the Sheets of analyze/pricing_sheets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "simulate/pricing/pricing_options.h"

namespace orrery::simulate {

/// What sharing did to the operations of one group: a role ("dp"), a named group, "all ranks", or "messages". Inflation is the price over
/// the isolated price of the same operation.
struct GroupInflation {
  std::string group;
  std::uint64_t operations = 0;
  double max = 1;
  double mean = 1;  ///< weighted by isolated time: by how much the group's communication grew
};

/// An interval in which the set of operations under way did not change.
struct SnapshotSummary {
  TimePs start_ps = 0;
  TimePs end_ps = 0;
  std::uint32_t members = 0;
  double inflation = 1;  ///< of the member that suffers most
};

struct PricingReport {
  PricingModel model = PricingModel::fluid;
  PricingMode mode = PricingMode::in_loop;
  std::string version;       ///< of the model that gave the prices
  std::uint32_t passes = 0;  ///< in which sets were taken from a schedule and priced; 0 unless the mode is snapshot
  TimePs makespan_ps = 0;
  TimePs isolated_makespan_ps = 0;  ///< of the first run of snapshot; else 0

  // Of the last pass.
  std::uint64_t operations = 0;
  std::uint64_t coalesced = 0;  ///< of those, left out of snapshots
  std::uint64_t snapshots = 0;  ///< with a member
  double max_inflation = 1;
  double mean_inflation = 1;                  ///< weighted by isolated time
  std::vector<GroupInflation> groups = {};    ///< the most inflated first
  std::vector<SnapshotSummary> slowest = {};  ///< at most kSlowest, the most inflated first
  /// One minus the Jaccard index of whom an operation overlapped in the schedule that it was priced from and in the one that came of it,
  /// averaged over operations: 0 where the prices belong to the schedule.
  double overlap_mismatch = 0;

  std::uint64_t asked = 0;             ///< questions that the model had to answer
  std::uint64_t cache_hits = 0;        ///< those that it did not have to
  std::uint64_t failed_snapshots = 0;  ///< their members count as alone in them
  std::uint64_t fallbacks = 0;         ///< operations that the model has no price for: they take what the links give them alone

  static constexpr std::size_t kSlowest = 10;
};

}  // namespace orrery::simulate
