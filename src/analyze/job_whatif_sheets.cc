#include "analyze/job_whatif_sheets.h"

namespace orrery::analyze {

using report::Sheet;
using report::Type;
using report::Unit;

Sheet job_edits_sheet(const JobEdits& edits) {
  std::vector<std::string> texts;
  std::vector<std::uint64_t> matched;
  for (std::size_t i = 0; i < edits.edits().size(); ++i) {
    texts.push_back(text_of(edits.edits()[i]));
    matched.push_back(edits.selections()[i].count());
  }
  return edits_sheet(texts, matched);
}

Sheet job_changed_bounds_sheet(const JobWhatIf& result) {
  return changed_bounds_sheet(result.before.kinds, result.after.kinds, result.after.stopped);
}

Sheet job_ranks_sheet(const link::JobGraph& job, const JobWhatIf& result) {
  Sheet sheet("ranks");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank"})
      .add({.name = "before", .type = Type::time, .unit = Unit::us, .title = "before"})
      .add({.name = "after", .type = Type::time, .unit = Unit::us, .title = "after"});
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank)
    sheet.add_row({job.ranks[rank].rank, result.ranks[rank].before, result.ranks[rank].after});
  return sheet;
}

std::vector<Sheet> job_whatif_sheets(const JobEdits& edits, const JobWhatIf& result, std::span<const SweepRow> points) {
  std::vector<Sheet> sheets;
  sheets.push_back(job_edits_sheet(edits));
  sheets.push_back(job_changed_bounds_sheet(result));
  sheets.push_back(moves_sheet(edits.job().strings, result.moves));
  sheets.push_back(job_ranks_sheet(edits.job(), result));
  if (!points.empty()) sheets.push_back(sweep_sheet(result.before.length, points));
  return sheets;
}

}  // namespace orrery::analyze
