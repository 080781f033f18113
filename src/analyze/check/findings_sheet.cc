#include "analyze/check/findings_sheet.h"

namespace orrery::analyze {

report::Sheet findings_sheet(const Diagnostics& diagnostics) {
  using report::Type;
  report::Sheet sheet("findings");
  sheet.add({.name = "code", .title = "code"})
      .add({.name = "severity", .title = "severity"})
      .add({.name = "count", .type = Type::integer, .title = "count"})
      .add({.name = "what", .title = "what"})
      .add({.name = "first", .title = "first"})
      .add({.name = "hint"});
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    const DiagnosticKind& kind = *diagnostic.kind;
    sheet.add_row({kind.code, to_string(kind.severity), diagnostic.count, kind.summary, diagnostic.example, kind.hint},
                  is_problem(diagnostic) ? report::Tone::warning : report::Tone::plain);
  }
  return sheet;
}

}  // namespace orrery::analyze
