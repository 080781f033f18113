// The Exchanges of a job as a network sees them, and what was measured of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "causal/causal_graph.h"
#include "simulate/graph_transfers.h"
#include "simulate/network_model.h"

namespace orrery::analyze {

/// What a job's recording says about one operation that can be simulated.
struct MeasuredTransfer {
  std::uint32_t operation = 0;  ///< place in CausalGraph::operations
  TimePs transfer =
      0;  ///< from when all were there to the first end; of a message that is kept for its receiver: the receiver's
  TimePs begin = 0, end = 0;  ///< when it may have been in the network
  bool comparable = true;     ///< false: the message was there, or on its way, before its receiver came
};

/// Rank r is device r. Valid while the CausalGraph and this live; moved, never copied.
struct JobTransfers {
  std::vector<simulate::CommOp> operations;
  std::vector<MeasuredTransfer> measured;          ///< per operation
  std::vector<simulate::GraphTransfer> transfers;  ///< of all operations
  std::vector<std::vector<std::uint32_t>> ranks;   ///< per operation: what CommOp::ranks refers to
  std::size_t left = 0;                            ///< operations that keep what was measured: of unknown size or kind

  JobTransfers() = default;
  JobTransfers(JobTransfers&&) = default;
  JobTransfers& operator=(JobTransfers&&) = default;
};

/// The one that JobOperation::what names; none: a message, or a kind that the models do not know.
std::optional<workload::Collective> collective_called(std::string_view what);

/// In the order of CausalGraph::operations. A member's lag behind the first end stays what it was.
JobTransfers job_transfers(const causal::CausalGraph& job);

}  // namespace orrery::analyze
