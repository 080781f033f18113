// Which operations were under way together, what they are and what they were priced at: enough to price the same sets with another tool.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "simulate/models/snapshot_interval.h"
#include "simulate/network_model.h"

namespace orrery::simulate {

/// An operation of the run. Its id is that of simulate/engine/operation_numbers.h: the same in every pass and for every model.
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

struct SnapshotManifest {
  std::string version;                                ///< of the model that gave the prices
  std::uint32_t pass = 1;                             ///< the one that the prices are of
  std::vector<std::vector<std::uint32_t>> rank_sets;  ///< in the order of the group
  std::vector<ManifestOperation> operations;          ///< by id
  std::vector<SnapshotInterval> intervals;            ///< by start; those without members are left out

  /// {"format": "orrery.snapshots/1", ...}: times in picoseconds. docs/NETWORK_MODELS.md lists the keys.
  [[nodiscard]] std::string to_json() const;
};

}  // namespace orrery::simulate
