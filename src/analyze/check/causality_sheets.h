// Happens-before as Sheets: how much was held to it, what contradicts it, and what could not be checked, and why.
#pragma once

#include <string>
#include <vector>

#include "align/causality.h"
#include "match/exchange.h"
#include "report/sheet.h"
#include "trace/trace.h"

namespace orrery::analyze {

/// One row: collectives, messages (that were checked), violated, early_ends, largest_us.
report::Sheet causality_sheet(const align::CausalityReport& report);

/// Per pair of ranks of which one ended before the other had started, the largest first: ends_on, starts_on,
/// violations, largest_us.
report::Sheet violating_pairs_sheet(const trace::Trace& job, const align::CausalityReport& report);

/// The worst of each violated collective or message, the largest first: collective, number, ends_on, starts_on, by_us.
report::Sheet violations_sheet(const trace::Trace& job, const match::Exchanges& exchanges,
                               const align::CausalityReport& report);

/// What was taken for one collective and is not: collective, number, ranks.
report::Sheet mispaired_sheet(const trace::Trace& job, const match::Exchanges& exchanges);

/// One row: how many were not checked, a column per reason, whose title ends the sentence "12 ...".
report::Sheet not_checked_sheet(const match::Exchanges& exchanges, const align::CausalityReport& report);

/// "12 whose root is not recorded; 3 mis-paired": the reasons that apply; empty if everything was checked.
std::string not_checked_in_words(const match::Exchanges& exchanges, const align::CausalityReport& report);

/// Why nothing could be held to happens-before: the end of a sentence. Only if report.checked is 0.
std::string why_unchecked(const trace::Trace& job, const match::Exchanges& exchanges,
                          const align::CausalityReport& report);

}  // namespace orrery::analyze
