// How the operations of a training step depend on one another, by the rules of the straggler study (OSDI '25): told by
// the kinds, numbers and order of operations of one replica in one step, and the same in all others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/trace.h"

namespace orrery::match {

/// An operation of a step of each replica.
struct StepOperation {
  std::string kind;  ///< forward-compute, grads-reduce-scatter, ...
  std::int64_t number = 0;
  std::uint32_t stage = 0;           ///< place in OperationGraph::stages
  std::vector<std::uint32_t> needs;  ///< places of those that must have ended
  std::uint32_t exchange = 0;        ///< place in OperationGraph::exchanges; kAlone: it communicates with nobody
};

struct OperationExchange {
  std::vector<std::uint32_t> operations;  ///< of one replica
  bool of_all_replicas = false;           ///< those of all data-parallel ranks are one exchange
};

/// One operation of one replica in one step.
struct MeasuredOperation {
  TimePs start = 0, end = 0;
  trace::EventIndex event = 0;
  bool is_there = false;  ///< the table has it
};

struct OperationGraph {
  static constexpr std::uint32_t kAlone = ~std::uint32_t{0};

  std::vector<StepOperation> operations;
  std::vector<OperationExchange> exchanges;
  std::vector<std::int64_t> replicas, stages, steps;  ///< their numbers, ascending
  std::vector<std::int64_t> worker;                   ///< rank of (replica, stage): replica * stages + stage
  std::vector<std::uint32_t> node;                    ///< of the same: its place in Trace::ranks
  std::vector<MeasuredOperation> measured;            ///< by step, then replica, then operation

  [[nodiscard]] const MeasuredOperation& at(std::size_t step, std::size_t replica, std::size_t operation) const {
    return measured[(step * replicas.size() + replica) * operations.size() + operation];
  }
  /// All replicas of one step, as in `measured`: replica * operations + operation.
  [[nodiscard]] std::size_t members() const { return replicas.size() * operations.size(); }
};

/// `trace` as formats/training_operations reads it. An Error if it is no such table, if workers are missing, or if
/// steps have too little in common.
Result<OperationGraph> make_operation_graph(const trace::Trace& trace);

}  // namespace orrery::match
