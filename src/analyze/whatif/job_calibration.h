// A machine's network calibrated on what a job measured on it, per kind of operation and number of members.
//
// Operations that had their links to themselves are compared with the model's price of each alone. A kind that was only
// ever seen while it shared links (gradients reduced side by side) is compared with what the model makes of the
// sharing, which depends on the calibration: so the job is simulated with the one before, and fitted again, a few
// times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyze/whatif/job_transfers.h"
#include "base/result.h"
#include "base/units.h"
#include "causal/causal_graph.h"
#include "simulate/collective/lowering.h"
#include "simulate/models/phased_model.h"

namespace orrery::analyze {

// What a network model leaves out, learnt from what was measured: a constant more per operation, and a share of the
// links' bandwidth.

/// One operation: what it took, and what the model says it takes with the network to itself.
struct TransferSample {
  TimePs measured = 0;
  TimePs alpha = 0;
  TimePs beta = 0;
};

struct TransferFit {
  simulate::Calibration calibration;
  double error_percent = 0;  ///< median over the samples of how far the fit is off, in percent of what was measured
};

/// measured = calibration.alpha_ps + alpha + beta / calibration.efficiency, by Theil and Sen: 1 / efficiency is the
/// median of the slopes between all two samples of different beta (H. Theil, 1950; P. K. Sen, J. Am. Stat. Assoc. 63,
/// 1968), then the constant is the median of what is left. So up to 29 % of the samples may be anything. The constant
/// is 0 and the efficiency the median of the samples' own if there is one size only, and if the sizes that there are
/// say nothing: larger ones did not take longer, or so much longer that one of no size would be done before it began.
/// If that would be no efficiency above 0 (the model's latency alone exceeds what was measured), or nothing is moved,
/// the efficiency is 1 and the constant, perhaps below 0, makes up for it. Medians of an even number are the mean of
/// the two in the middle. Of more than kMostSamples, so many are taken, evenly spread: pairs grow with the square.
TransferFit fit_transfers(std::span<const TransferSample> samples);

inline constexpr std::size_t kMostSamples = 1000;

struct CalibrationRow {
  StringId what = 0;  ///< as JobOperation::what
  std::uint32_t members = 0;
  simulate::Calibration calibration;
  std::size_t operations = 0;  ///< that it was learnt from
  bool overlapped =
      false;  ///< there were none that had their links to themselves: learnt from all, as the model has them share
  double error_percent = 0;
};

/// Rows by kind and members; sets CommOp::calibration and the algorithm of every operation: an edited network does not
/// change what the library does. An Error: an operation that cannot be done on the machine. O(operations times links
/// that they use), and a few simulations if some were never alone.
Result<std::vector<CalibrationRow>> calibrate(const causal::CausalGraph& job, simulate::Lowering& lowering,
                                              simulate::PhasedModel& model, JobTransfers& transfers);

}  // namespace orrery::analyze
