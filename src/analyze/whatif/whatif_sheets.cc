#include "analyze/whatif/whatif_sheets.h"

#include <fmt/format.h>

#include "base/percent.h"

namespace orrery::analyze {
using causal::EdgeKind;
using report::Sheet;
using report::Type;
using report::Unit;

Sheet edits_sheet(const GraphEdits& edits) {
  Sheet sheet("edits");
  sheet.add({.name = "edit", .title = "edit"}).add({.name = "edges", .type = Type::integer, .title = "segments"});
  for (std::size_t i = 0; i < edits.edits().size(); ++i) {
    const std::uint64_t selected = edits.selections()[i].count();
    sheet.add_row({text_of(edits.edits()[i]), selected}, selected == 0 ? report::Tone::warning : report::Tone::plain);
  }
  return sheet;
}

Sheet changed_bounds_sheet(const WhatIf& result) {
  const std::span<const TimePs> before = result.before.kinds, after = result.after.kinds;
  const TimePs stopped = result.after.stopped;
  Sheet sheet("bound_by");
  sheet.add({.name = "kind"})
      .add({.name = "kind_in_words", .title = "on the path", .people_only = true})
      .add({.name = "before", .type = Type::time, .unit = Unit::us, .title = "before"})
      .add({.name = "after", .type = Type::time, .unit = Unit::us, .title = "after"})
      .add({.name = "change", .type = Type::time, .unit = Unit::us, .title = "change", .is_change = true});
  for (std::size_t k = 0; k < before.size(); ++k) {
    if (before[k] == 0 && after[k] == 0) continue;
    const auto kind = static_cast<EdgeKind>(k);
    sheet.add_row({identifier(kind), to_string(kind), before[k], after[k], after[k] - before[k]});
  }
  if (stopped != 0) sheet.add_row({"stopped", "stopped", 0, stopped, stopped});
  return sheet;
}

Sheet moves_sheet(const causal::CausalGraph& job, const WhatIf& result) {
  Sheet sheet("moves");
  sheet.add({.name = "label", .title = "what moved", .people_only = true})
      .add({.name = "kind"})
      .add({.name = "kind_in_words", .title = "kind", .people_only = true})
      .add({.name = "name"})
      .add({.name = "before", .type = Type::time, .unit = Unit::us, .title = "before"})
      .add({.name = "after", .type = Type::time, .unit = Unit::us, .title = "after"})
      .add({.name = "change", .type = Type::time, .unit = Unit::us, .title = "change", .is_change = true});
  for (const Move& move : result.moves) {
    const auto [kind, text] = move.piece;
    const std::string_view name = job.strings.text(text);
    const std::string kind_in_brackets = fmt::format("({})", to_string(kind));
    const bool is_named = text != 0;
    sheet.add_row({is_named ? name : std::string_view(kind_in_brackets), identifier(kind), to_string(kind),
                   is_named ? report::Cell(name) : report::Cell(nullptr), move.before, move.after,
                   move.after - move.before});
  }
  return sheet;
}

Sheet ranks_sheet(const causal::CausalGraph& job, const WhatIf& result) {
  Sheet sheet("ranks");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank"})
      .add({.name = "before", .type = Type::time, .unit = Unit::us, .title = "before"})
      .add({.name = "after", .type = Type::time, .unit = Unit::us, .title = "after"});
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank)
    sheet.add_row({job.ranks[rank].rank, result.ranks[rank].before, result.ranks[rank].after});
  return sheet;
}

Sheet sweep_sheet(TimePs unedited, std::span<const SweepRow> rows) {
  Sheet sheet("sweep");
  sheet.add({.name = "factor", .type = Type::real, .title = "factor", .decimals = report::kExact})
      .add({.name = "step", .type = Type::time, .unit = Unit::us, .title = "step"})
      .add({.name = "change", .type = Type::real, .unit = Unit::pct, .title = "change", .is_change = true})
      .add({.name = "verdict", .title = "bound by"});
  for (const SweepRow& row : rows)
    sheet.add_row({row.factor, row.length, change_percent(unedited, row.length), row.verdict});
  return sheet;
}

}  // namespace orrery::analyze
