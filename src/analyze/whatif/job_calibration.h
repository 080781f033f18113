// A machine's network calibrated on what a job measured on it, per kind of operation and number of members.
//
// Operations that had their links to themselves are compared with the model's price of each alone. A kind that was only ever seen while it
// shared links (gradients reduced side by side) is compared with what the model makes of the sharing, which depends on the calibration:
// so the job is simulated with the one before, and fitted again, a few times.
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/whatif/job_transfers.h"
#include "base/result.h"
#include "causal/causal_graph.h"
#include "simulate/collective/lowering.h"
#include "simulate/network_model.h"

namespace orrery::analyze {

struct CalibrationRow {
  StringId what = 0;  ///< as JobOperation::what
  std::uint32_t members = 0;
  simulate::Calibration calibration;
  std::size_t operations = 0;  ///< that it was learnt from
  bool overlapped = false;     ///< there were none that had their links to themselves: learnt from all, as the model has them share
  double error_percent = 0;
};

/// Rows by kind and members; sets CommOp::calibration and the algorithm of every operation: an edited network does not change what the
/// library does. An Error: an operation that cannot be done on the machine.
/// O(operations times links that they use), and a few simulations if some were never alone.
Result<std::vector<CalibrationRow>> calibrate(const causal::CausalGraph& job, simulate::Lowering& lowering, simulate::NetworkModel& model,
                                              JobTransfers& transfers);

}  // namespace orrery::analyze
