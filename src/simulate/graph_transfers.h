// A graph whose transfers take what the network gives them: local work as the graph says, communication as a network
// model says, each starting when the other lets it.
//
// A discrete-event sweep: a moment is known once everything before it is, and what a transfer takes is known once the
// network is done with the operation it belongs to. The answer is a weight per transfer, to be laid over the graph:
// solving that gives the same times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "graph/edits.h"
#include "simulate/network_model.h"

namespace orrery::simulate {

/// When a participant of an operation is done.
enum class TransferEnd : std::uint8_t {
  with_operation,  ///< as long after its own beginning as the operation takes, and its lag
  on_its_own,      ///< after its lag, whatever the network does: the sender of a message that is kept for it
  when_arrived,    ///< when the operation is over, but not before its lag: the receiver of such a message
};

/// One participant's edge of an operation.
struct GraphTransfer {
  graph::Slot slot = 0;         ///< from the moment at which everybody it needs is there to its end
  std::uint32_t operation = 0;  ///< into the list of operations
  TransferEnd ends = TransferEnd::with_operation;
  TimePs lag = 0;  ///< at least 0
};

/// What each of `transfers` weighs. An operation enters the network when the first of its transfers may begin. The
/// weights that `edits` has for transfers are not looked at. Nodes of the graph are moments: none takes time. `model`
/// is restarted. O(edges + events of the model); the same answer for the same input.
Result<std::vector<TimePs>> simulate_transfers(const graph::Edits& edits, std::span<const CommOp> operations,
                                               std::span<const GraphTransfer> transfers, NetworkModel& model);

}  // namespace orrery::simulate
