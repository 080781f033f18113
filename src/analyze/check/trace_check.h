// Can a trace be trusted, and what is missing from it?
#pragma once

#include <set>
#include <span>
#include <string>

#include "base/diagnostics.h"
#include "base/packed.h"
#include "report/sheet.h"
#include "trace/trace.h"

namespace orrery::analyze {

// What was remarked about files, as a Sheet.

/// Per kind of remark, by code: code, severity, count, what, first (where it was first seen), hint.
report::Sheet findings_sheet(const Diagnostics& diagnostics);

/// Whether a remark counts against the files: notes do not.
inline bool is_problem(const Diagnostic& diagnostic) { return diagnostic.kind->severity != Severity::note; }

/// What came of looking at one rank.
struct RankCheck {
  Diagnostics remarks;
  std::set<std::string> steps;  ///< names of those that it recorded

  void pack(PackedWriter& writer) const;
  static RankCheck unpack(PackedReader& reader);
};

/// Looks at one rank: pairing of calls and device work, nesting, overlap, recorded steps, waits and collectives.
RankCheck check_rank(const trace::Trace& trace, const trace::RankTrace& rank);

/// Adds what was found of each (`checks` as trace.ranks), and looks at the ranks together: missing ones, steps that
/// differ. Looks at no events.
void check_job(const trace::Trace& trace, std::span<const RankCheck> checks, Diagnostics& diagnostics);

}  // namespace orrery::analyze
