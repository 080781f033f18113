// A job of known dependencies, executed from them: when each operation could begin and end, given how long work and
// transfers took.
//
// Recordings have more waiting than their dependencies explain: a receive is posted when its worker comes to it, a
// worker pauses for what was not recorded. Most of that held nobody, since something else was later. It would be wrong
// to keep it as work, and as wrong to leave out what did hold the job. So the job is executed without such delays
// first; then those along what bound it are put in, each as measured, and it is executed again. The result takes
// exactly as long as it was measured to take, and nothing in it is later than it was.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "match/operations/execution_order.h"
#include "match/operations/operation_graph.h"

namespace orrery::match {

struct ExecutedOperation {
  TimePs start = 0, end = 0;  ///< of the trace's time
};

struct ExecutedJob {
  std::vector<ExecutedOperation> operations;  ///< as OperationGraph::measured
  /// What each needed: places of operations of its replica and step that are there. Where one is missing, what that
  /// one needed.
  [[nodiscard]] std::span<const std::uint32_t> needs_of(std::size_t place) const {
    return std::span(needs).subspan(first_need[place], first_need[place + 1] - first_need[place]);
  }
  std::vector<std::uint32_t> needs;
  std::vector<std::size_t> first_need;  ///< by place in `operations`, and one more
  std::size_t contradicted = 0;         ///< needs of operations that began long before these had ended; left out
};

/// `order`: of the same graph. O(needs + members log members) per step.
ExecutedJob execute_job(const OperationGraph& graph, std::span<const ExecutedUnit> order);

}  // namespace orrery::match
