// Which row of a host trace is which event of the profiler trace of the same run.
#pragma once

#include <string_view>

#include "base/column.h"
#include "base/diagnostics.h"
#include "base/result.h"
#include "causal/host/coverage.h"
#include "trace/host_trace.h"
#include "trace/trace.h"

namespace orrery::causal {

struct HostMatch {
  Column<std::uint32_t> row_of_event;      ///< per event of the profiler trace; kNoRow
  Column<trace::EventIndex> event_of_row;  ///< per row of the host trace; kNoEvent
  Coverage coverage;                       ///< host_rows and by_...; of device work nothing
};

/// A row is an event if their names are the same and, first, the row's record-function id is the event's; else, for
/// events that have none, the row's record-function id is the event's External id (one and the same number in older
/// recordings); else both are the k-th of their name among what is left in their thread. Which thread of the one is
/// which of the other: the one that most rows found so far say, else the one that shares most names. An event is at
/// most one row. O(n log n) plus threads times lanes.
HostMatch match_host(const trace::RankTrace& rank, const trace::HostTrace& host, const Interner& strings);

/// An Error if fewer than `least_percent` of the rows were found: the two were recorded in different runs.
Status check_same_run(const Coverage& coverage, const trace::RankTrace& rank, const trace::HostTrace& host,
                      double least_percent);

/// Whether the profiler should know this row: not the ones that stand for the process, a thread, or a list of process
/// groups.
bool is_operator_row(std::string_view name);

}  // namespace orrery::causal
