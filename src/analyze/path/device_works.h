// The device work of a whole job, as questions about another order of it need it: what each piece is, where it runs,
// what it reads.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analyze/device/kernels.h"
#include "analyze/path/causal_path.h"
#include "causal/causal_graph.h"
#include "causal/program/tensor_reads.h"
#include "report/sheet.h"

namespace orrery::analyze {

// What the devices of a job did, by name, with what of it bounds the step: a Sheet.

/// Per name the time of device work on the path.
using DeviceTimeOnPath = std::map<std::string, TimePs, std::less<>>;
DeviceTimeOnPath device_time_on_path(const causal::CausalGraph& job, const PathSums& path);

/// One row per name and kind, in the order of `sums` (sum_over_ranks), the name of the rest unknown: name, names (that
/// the row stands for), kind, calls, total_us, mean_us, least_us, most_us, on_path_us, on_path_share_pct: of a path of
/// `length`.
report::Sheet device_work_sheet(const Interner& strings, const std::vector<KernelSum>& sums,
                                const DeviceTimeOnPath& on_path, TimePs length);

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
