// An order in which a job of known dependencies can be executed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "match/operations/operation_graph.h"

namespace orrery::match {

/// What is executed at once: an operation of a replica, or an exchange with all its members.
struct ExecutedUnit {
  bool is_exchange = false;
  std::vector<std::uint32_t> members;  ///< replica * operations + operation, ascending
};

/// Each comes behind what it needs. None if what depends on what has a circle.
std::optional<std::vector<ExecutedUnit>> find_execution_order(const OperationGraph& graph);

}  // namespace orrery::match
