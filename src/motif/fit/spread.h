// How much a prediction hangs on which runs were there: the fit is repeated on resampled runs (Efron 1979).
#pragma once

#include "motif/fit/times_fit.h"
#include "motif/motif.h"

namespace orrery::motif::fit {

/// Fills the table of `motif.uncertainty`: from the smallest run to four times the most nodes, and the sizes likewise.
/// The same bits for any number of threads. `motif` has its flows and its size's meaning already; what it says of times
/// is not used.
void fill_spread(const TimesTable& table, const TimesFit& fit, Motif& motif);

}  // namespace orrery::motif::fit
