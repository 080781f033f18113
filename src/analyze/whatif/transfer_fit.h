// What a network model leaves out, learnt from what was measured: a constant more per operation, and a share of the links' bandwidth.
#pragma once

#include <cstddef>
#include <span>

#include "base/units.h"
#include "simulate/network_model.h"

namespace orrery::analyze {

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

/// measured = calibration.alpha_ps + alpha + beta / calibration.efficiency, by Theil and Sen: 1 / efficiency is the median of the slopes between
/// all two samples of different beta (H. Theil, 1950; P. K. Sen, J. Am. Stat. Assoc. 63, 1968), then the constant is the median of what is left.
/// So up to 29 % of the samples may be anything. The constant is 0 and the efficiency the median of the samples' own if there is one size only, and
/// if the sizes that there are say nothing: larger ones did not take longer, or so much longer that one of no size would be done before it
/// began. If that would be no efficiency above 0 (the model's latency alone exceeds what was measured), or nothing is moved, the
/// efficiency is 1 and the constant, perhaps below 0, makes up for it. Medians of an even number are the mean of the two in the middle.
/// Of more than kMostSamples, so many are taken, evenly spread: pairs grow with the square.
TransferFit fit_transfers(std::span<const TransferSample> samples);

inline constexpr std::size_t kMostSamples = 1000;

}  // namespace orrery::analyze
