// On which rows of a linked trace the synchronisations end up.
//
// The original notes them by id while it is renumbering rows, some by the old and some by the new one, and translates all of them once more
// when it is done. So one that was noted by its new id lands on another row, unless no row had that number before.
#pragma once

#include <cstdint>
#include <vector>

#include "base/column.h"
#include "causal/chakra/host_match.h"
#include "causal/chakra/sync_targets.h"
#include "trace/host_trace.h"

namespace orrery::causal::chakra {

/// Rows that wait, and for which rows of device work.
struct SyncRows {
  struct OfRow {
    std::uint32_t row;
    std::uint32_t first;  ///< [first, first + count) of ids
    std::uint32_t count;
  };
  std::vector<OfRow> rows;
  std::vector<std::uint64_t> ids;
};

/// How rows were renumbered.
struct Renumbering {
  const trace::HostTrace& host;
  const HostMatch& match;
  const std::vector<SyncTarget>& targets;  ///< by work
  const Column<std::uint64_t>& new_id;     ///< per row of the host trace
  const Column<std::uint32_t>& source;     ///< per new row: its row of the host trace
  const Column<std::uint32_t>& work;       ///< per new row: its device work; ~0 of the host's own
};

SyncRows assign_syncs(const Renumbering& rows);

}  // namespace orrery::causal::chakra
