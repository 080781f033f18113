#include "analyze/whatif/job_machine_sheets.h"

namespace orrery::analyze {

using report::Sheet;
using report::Type;
using report::Unit;

Sheet calibration_sheet(const causal::CausalGraph& job, std::span<const CalibrationRow> rows) {
  Sheet sheet("groups");
  sheet.add({.name = "what", .title = "operations"})
      .add({.name = "members", .type = Type::integer, .title = "members"})
      .add({.name = "alpha", .type = Type::time, .unit = Unit::us, .title = "constant", .is_change = true})
      .add({.name = "efficiency", .type = Type::real, .title = "share of bandwidth", .decimals = 3})
      .add({.name = "operations", .type = Type::integer, .title = "learnt from"})
      .add({.name = "error", .type = Type::real, .unit = Unit::pct, .title = "off by (median)"});
  for (const CalibrationRow& row : rows) {
    // What was only seen while it shared its links is no measure of them.
    sheet.add_row({job.strings.text(row.what), row.members, row.calibration.alpha_ps, row.calibration.efficiency,
                   row.operations, row.error_percent},
                  row.overlapped ? report::Tone::warning : report::Tone::plain);
  }
  return sheet;
}

Sheet reorder_sheet(const causal::CausalGraph& job, const Reorder& reorder) {
  Sheet sheet("moves");
  sheet.add({.name = "move", .title = "move"})
      .add({.name = "name", .title = "of"})
      .add({.name = "what", .title = "what"})
      .add({.name = "count", .type = Type::integer, .title = "segments"})
      .add({.name = "gain", .type = Type::time, .unit = Unit::us, .title = "gain"});
  for (const ReorderMove& move : reorder.moves) {
    // A communication whose partners were not found is one all the same.
    const std::string_view alone = move.move == MoveKind::launch_earlier ? "communication" : "kernel";
    const std::string_view what = move.what == 0 ? alone : job.strings.text(move.what);
    sheet.add_row({to_string(move.move), job.strings.text(move.name), what, move.count, move.gain});
  }
  return sheet;
}

}  // namespace orrery::analyze
