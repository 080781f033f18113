// What was remarked about files, as a Sheet.
#pragma once

#include "base/diagnostics.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// Per kind of remark, by code: code, severity, count, what, first (where it was first seen), hint.
report::Sheet findings_sheet(const Diagnostics& diagnostics);

/// Whether a remark counts against the files: notes do not.
inline bool is_problem(const Diagnostic& diagnostic) { return diagnostic.kind->severity != Severity::note; }

}  // namespace orrery::analyze
