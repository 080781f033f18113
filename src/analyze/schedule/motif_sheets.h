// What motifs say, as Sheets.
#pragma once

#include "motif/fit/fit_motif.h"
#include "motif/predict.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// "functions": function, calls, bytes; in the mean over the ranks, the busiest first.
report::Sheet motif_function_sheet(const motif::Prediction& prediction);
/// "transitions": src, dst, times, us of one, compute_us of one, total_us, share_pct.
report::Sheet motif_transition_sheet(const motif::Prediction& prediction);
/// "callsites": callsite, function, group, peer, calls, bytes of one call, bytes in all.
report::Sheet motif_site_sheet(const motif::Motif& motif, const motif::Prediction& prediction);

/// "families": family, error_pct of left-out runs, parameters per transition, chosen.
report::Sheet motif_family_sheet(const motif::fit::FitOutcome& outcome);
/// "laws": callsite, function, family, formula of its bytes, error_pct.
report::Sheet motif_bytes_sheet(const motif::fit::FitOutcome& outcome);

}  // namespace orrery::analyze
