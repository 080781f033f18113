// The device work of a whole job, as questions about another order of it need it: what each piece is, where it runs,
// what it reads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "causal/causal_graph.h"
#include "causal/program/tensor_reads.h"

namespace orrery::analyze {

struct DeviceWork {
  graph::NodeId start = 0, end = 0;  ///< moments; of a communication with partners its arrival and its end
  std::uint32_t rank = 0;            ///< place in CausalGraph::ranks
  std::uint32_t owner = 0;
  std::uint32_t part = causal::kNoPart;  ///< of a communication with partners
  causal::EdgeKind kind{};
  bool is_known = false;               ///< its operator's tensors were recorded
  std::vector<std::uint32_t> writers;  ///< works whose results it reads, ascending
};

struct DeviceWorks {
  std::vector<DeviceWork> works;                    ///< by rank, then owner
  std::vector<std::vector<std::uint32_t>> streams;  ///< works of each stream of a device of a rank, in order of start
};

/// Reads that lead back in time, or out of the window, are left out. `tensors` may lack ranks.
DeviceWorks find_device_works(const causal::CausalGraph& job, std::span<const causal::RankTensors> tensors);

}  // namespace orrery::analyze
