// Linked ranks as Sheets: how much was brought together, what came of it, and how well it replays.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "causal/program/linked_rank.h"
#include "report/sheet.h"
#include "workload/workload.h"

namespace orrery::analyze {

/// A linked rank: program `r` of the workload is that of entry r. Must outlive the calls.
struct LinkAnswer {
  std::span<const causal::LinkedRank> ranks;
  const workload::Workload& workload;
  std::span<const std::string> device_files;  ///< by rank
  std::span<const std::string> host_files;    ///< by rank; empty: none was given
};

/// Per rank: rank, device, host, host_operators and how many were found by which rule, operators_pct, device_works,
/// attributed, attributed_pct (both unknown of nothing), activities, dependencies, cut_dependencies, measured_us,
/// replayed_us, residual_pct.
report::Sheet linked_ranks_sheet(const LinkAnswer& answer);

/// rank, kind, count: activities of each kind. `of`: ranks by their place; summed up, and without a rank, if there are
/// several.
report::Sheet activity_counts_sheet(const LinkAnswer& answer, std::span<const std::size_t> of);

/// rank, cause, count: dependencies by why one comes after the other. As above.
report::Sheet dependency_counts_sheet(const LinkAnswer& answer, std::span<const std::size_t> of);

/// The activities of each rank that replay furthest from when they were recorded: rank, name, node, recorded_start_us,
/// error_us.
report::Sheet replay_errors_sheet(const LinkAnswer& answer, std::span<const std::size_t> of);

/// "Operators: ...", "Device work: ...", "Cycles: ...": over all ranks, a line each.
std::string coverage_in_words(const LinkAnswer& answer);

}  // namespace orrery::analyze
