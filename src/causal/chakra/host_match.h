// Which operator of the profiler trace a row of the host trace is, by record function.
#pragma once

#include "base/column.h"
#include "base/diagnostics.h"
#include "base/result.h"
#include "causal/chakra/device_trace.h"
#include "causal/chakra/number_index.h"
#include "trace/host_trace.h"

namespace orrery::causal::chakra {

struct HostMatch {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  Column<std::uint32_t> by_id;  ///< all rows, by their ids
  NumberIndex row_of_id;
  Column<std::uint32_t> op;              ///< per row: into HostOps; kNone. Rows that cannot be reached from row 1 have none
  Column<std::uint32_t> dependency_row;  ///< per row: the row that its inter-thread dependency is; kNone
  Column<std::uint32_t> row_of_op;       ///< per operator: the row with the greatest id that it was found for; kNone
};

/// `dependencies` are those of inter_thread_dependencies. One of them that belongs to a row with a greater id is lost, as it is in the
/// original, which goes through the rows by id. Rows of operators that are not found are counted. O(n). Fails without row 1, and where a row has no rf_id.
Result<HostMatch> match_host_rows(const trace::HostTrace& host, const Interner& strings, const HostOps& ops,
                                  const Column<std::int64_t>& dependencies, Diagnostics& diagnostics);

}  // namespace orrery::causal::chakra
