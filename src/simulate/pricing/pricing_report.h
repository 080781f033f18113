// What pricing did, what sharing cost, and what there is to remark on: the numbers behind the Sheets of
// analyze/schedule/pricing_sheets, the manifest of snapshots, the diagnostics.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/units.h"
#include "simulate/models/snapshot.h"
#include "simulate/network_model.h"
#include "simulate/pricing/pricing.h"

namespace orrery::simulate {

/// What sharing did to the operations of one group: a role ("dp"), a named group, "all ranks", or "messages". Inflation
/// is the price over the isolated price of the same operation.
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
  /// One minus the Jaccard index of whom an operation overlapped in the schedule that it was priced from and in the one
  /// that came of it, averaged over operations: 0 where the prices belong to the schedule.
  double overlap_mismatch = 0;

  std::uint64_t asked = 0;             ///< questions that the model had to answer
  std::uint64_t cache_hits = 0;        ///< those that it did not have to
  std::uint64_t failed_snapshots = 0;  ///< their members count as alone in them
  std::uint64_t fallbacks =
      0;  ///< operations that the model has no price for: they take what the links give them alone

  static constexpr std::size_t kSlowest = 10;
};

/// An operation of the run. Its id is that of simulate/engine/operation_numbers.h: the same in every pass and for every
/// model.
struct ManifestOperation {
  OpId id = 0;
  CommOp::Kind kind = CommOp::Kind::message;
  workload::Collective collective = workload::Collective::all_reduce;
  std::int64_t bytes = 0;      ///< as CommOp::bytes counts them
  std::string group;           ///< as in GroupInflation
  std::uint32_t rank_set = 0;  ///< into SnapshotManifest::rank_sets
  TimePs start_ps = 0;         ///< in the schedule that the sets were taken from
  TimePs end_ps = 0;
  TimePs isolated_ps = 0;
  TimePs price_ps = 0;
};

/// Which operations were under way together, what they are and what they were priced at: enough to price the same sets
/// with another tool.
struct SnapshotManifest {
  std::string version;                                ///< of the model that gave the prices
  std::uint32_t pass = 1;                             ///< the one that the prices are of
  std::vector<std::vector<std::uint32_t>> rank_sets;  ///< in the order of the group
  std::vector<ManifestOperation> operations;          ///< by id
  std::vector<SnapshotInterval> intervals;            ///< by start; those without members are left out

  /// {"format": "orrery.snapshots/1", ...}: times in picoseconds. docs/NETWORK_MODELS.md lists the keys.
  [[nodiscard]] std::string to_json() const;
};

// What pricing has to say besides prices; docs/DIAGNOSTICS.md explains each.

inline constexpr DiagnosticKind kNoAnswer{"S104", Severity::warning, "operation that ASTRA-sim did not answer for",
                                          "it takes what it would take alone"};
inline constexpr DiagnosticKind kRaisedDelay{"S109", Severity::note, "ASTRA-sim was given an endpoint delay of 1 ns",
                                             "the machine's messages cost nothing, and with 0 it aborts"};
inline constexpr DiagnosticKind kFailedSnapshot{"S110", Severity::warning, "snapshot that could not be priced",
                                                "its operations count as alone in it"};
inline constexpr DiagnosticKind kFasterThanIsolated{
    "S111", Severity::warning, "the run is faster with sharing than without",
    "slower operations came in a luckier order (Graham's anomaly): the mode in-loop says more"};
inline constexpr DiagnosticKind kUnsafePartition{
    "S112", Severity::warning, "link that several fabrics use, which are priced apart",
    "what they do to each other there is missing: leave partition_by_fabric out"};
inline constexpr DiagnosticKind kUnusableCache{"S113", Severity::warning, "file of prices that cannot be used",
                                               "everything is priced anew"};
inline constexpr DiagnosticKind kNoPrice{"S114", Severity::warning, "operation that the model has no price for",
                                         "it takes what the links give it alone, which is another model's time"};

}  // namespace orrery::simulate
