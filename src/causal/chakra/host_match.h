// Which operator of the profiler trace a row of the host trace is, by record function.
#pragma once

#include <cstdint>

#include "base/column.h"
#include "base/diagnostics.h"
#include "base/radix_sort.h"
#include "base/result.h"
#include "causal/chakra/device_trace.h"
#include "trace/host_trace.h"

namespace orrery::causal::chakra {

// From numbers that a trace gives to its records to where those are.

/// Ids are mostly counted up: then a table of them is small and a lookup one access, otherwise O(log n).
class NumberIndex {
 public:
  static constexpr std::uint32_t kMissing = ~std::uint32_t{0};

  /// Of entries with the same number the last one counts.
  void add(std::int64_t number, std::uint32_t place) { entries_.push_back({radix_key(number), place}); }
  /// To be called once, after the last add().
  void seal();
  /// The place of `number`, kMissing if it was not added.
  [[nodiscard]] std::uint32_t find(std::int64_t number) const;

 private:
  Column<KeyedIndex> entries_;
  Column<std::uint32_t> table_;  // from `base_` on; empty: look in the sorted entries
  std::int64_t base_ = 0;
};

struct HostMatch {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  Column<std::uint32_t> by_id;  ///< all rows, by their ids
  NumberIndex row_of_id;
  Column<std::uint32_t> op;  ///< per row: into HostOps; kNone. Rows that cannot be reached from row 1 have none
  Column<std::uint32_t> dependency_row;  ///< per row: the row that its inter-thread dependency is; kNone
  Column<std::uint32_t> row_of_op;       ///< per operator: the row with the greatest id that it was found for; kNone
};

/// `dependencies` are those of inter_thread_dependencies. One of them that belongs to a row with a greater id is lost,
/// as it is in the original, which goes through the rows by id. Rows of operators that are not found are counted. O(n).
/// Fails without row 1, and where a row has no rf_id.
Result<HostMatch> match_host_rows(const trace::HostTrace& host, const Interner& strings, const HostOps& ops,
                                  const Column<std::int64_t>& dependencies, Diagnostics& diagnostics);

}  // namespace orrery::causal::chakra
