// In which order the rows of a host trace began and ended, all threads together.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interner.h"
#include "trace/host_trace.h"

namespace orrery::replay::torch {

/// A row begins, or it ends. What a row is given counts from its begin, what it returns from its end.
struct Visit {
  std::uint32_t row;
  bool is_end;
};

struct RowOrder {
  std::vector<Visit> visits;
  std::vector<std::uint32_t> begin;   ///< per row: its visit
  std::vector<std::uint32_t> end;     ///< per row
  std::vector<std::uint32_t> parent;  ///< per row: the row that called it; causal::kNoRow
};

/// Rows begin in the order of their ids, which the recorder counts up as they begin. `end_times`, one per row, say when
/// they ended; empty: where the file has callers after what they called, as the recorder writes rows when they end, the
/// order of the file is that of the ends; else a row ends with the last that it called. A row that had ended before
/// another began did not call it, whatever that says, and what threads of the host communicate on the side
/// (gloo:all_reduce) calls nobody. O(n log n).
RowOrder order_rows(const trace::HostTrace& host, const Interner& strings, const std::vector<double>& end_times = {});

}  // namespace orrery::replay::torch
