// What scrubbing did, as Sheets: which files became which, what became of names, and what went and what stayed of their
// members.
#pragma once

#include "report/sheet.h"
#include "scrub/scrub.h"

namespace orrery::scrub {

/// Per file: input, kind, rank (unknown if neither the file nor its name says it), records, text_bytes, scrubbed_bytes,
/// output.
report::Sheet files_sheet(const Outcome& outcome, bool is_dry);

/// Per domain of names: of, renamed, kept, and for people the most used name of those renamed and what became of it.
/// Only they see it: the answer to programs is often kept, and shared with the files.
report::Sheet names_sheet(const Outcome& outcome);

/// Per member, the most frequent first, then those that scrub does not know: member, treatment, count, unusable.
report::Sheet members_sheet(const Outcome& outcome);

/// The part of members_sheet that is left out, or that stays; without members that have rules of their own for what is
/// in them.
report::Sheet members_that(bool go, const Outcome& outcome);

/// Names that became others, and members that were left out: over all files.
struct ScrubTotals {
  std::uint64_t names = 0;
  std::uint64_t members = 0;
};
ScrubTotals totals_of(const Outcome& outcome);

}  // namespace orrery::scrub
