#include "analyze/whatif_sheets.h"

#include <fmt/format.h>

#include <array>

namespace orrery::analyze {
namespace {

std::vector<SweepRow> rows_of(std::span<const SweepPoint> points) {
  std::vector<SweepRow> rows;
  for (const SweepPoint& point : points) rows.push_back({point.factor, point.path.length(), verdict(point.path)});
  return rows;
}

}  // namespace

using link::EdgeKind;
using report::Sheet;
using report::Type;
using report::Unit;

Sheet edits_sheet(std::span<const std::string> texts, std::span<const std::uint64_t> matched) {
  Sheet sheet("edits");
  sheet.add({.name = "edit", .title = "edit"}).add({.name = "edges", .type = Type::integer, .title = "pieces"});
  for (std::size_t i = 0; i < texts.size(); ++i)
    sheet.add_row({texts[i], matched[i]}, matched[i] == 0 ? report::Tone::warning : report::Tone::plain);
  return sheet;
}

Sheet edits_sheet(const std::vector<EditRule>& rules, const WhatIf& result) {
  std::vector<std::string> texts;
  texts.reserve(rules.size());
  for (const EditRule& rule : rules) texts.push_back(rule.text);
  return edits_sheet(texts, result.matched);
}

Sheet changed_bounds_sheet(std::span<const TimePs> before, std::span<const TimePs> after, TimePs stopped) {
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
  if (stopped != 0) sheet.add_row({"stopped", "standing still", 0, stopped, stopped});
  return sheet;
}

Sheet changed_bounds_sheet(const WhatIf& result) {
  std::array<TimePs, link::kEdgeKinds> before{}, after{};
  for (std::size_t k = 0; k < link::kEdgeKinds; ++k) {
    before[k] = result.before.kinds[k].on_path;
    after[k] = result.after.kinds[k].on_path;
  }
  return changed_bounds_sheet(before, after);
}

Sheet moves_sheet(const Interner& strings, std::span<const Move> moves) {
  Sheet sheet("moves");
  sheet.add({.name = "label", .title = "what moved", .people_only = true})
      .add({.name = "kind"})
      .add({.name = "kind_in_words", .title = "kind", .people_only = true})
      .add({.name = "name"})
      .add({.name = "before", .type = Type::time, .unit = Unit::us, .title = "before"})
      .add({.name = "after", .type = Type::time, .unit = Unit::us, .title = "after"})
      .add({.name = "change", .type = Type::time, .unit = Unit::us, .title = "change", .is_change = true});
  for (const Move& move : moves) {
    const std::string_view name = strings.text(move.name);
    const std::string kind_in_brackets = fmt::format("({})", to_string(move.kind));
    const bool is_named = move.name != 0;
    sheet.add_row({is_named ? name : std::string_view(kind_in_brackets), identifier(move.kind), to_string(move.kind),
                   is_named ? report::Cell(name) : report::Cell(nullptr), move.before, move.after, move.after - move.before});
  }
  return sheet;
}

Sheet moves_sheet(const link::StepGraph& step, const WhatIf& result) { return moves_sheet(step.strings, result.moves); }

Sheet sweep_sheet(TimePs unedited, std::span<const SweepRow> rows) {
  Sheet sheet("sweep");
  sheet.add({.name = "factor", .type = Type::real, .title = "factor", .decimals = report::kExact})
      .add({.name = "step", .type = Type::time, .unit = Unit::us, .title = "step"})
      .add({.name = "change", .type = Type::real, .unit = Unit::pct, .title = "change", .is_change = true})
      .add({.name = "verdict", .title = "bound by"});
  for (const SweepRow& row : rows) sheet.add_row({row.factor, row.length, change_percent(unedited, row.length), row.verdict});
  return sheet;
}

Sheet sweep_sheet(TimePs unedited, std::span<const SweepPoint> points) { return sweep_sheet(unedited, rows_of(points)); }

std::vector<Sheet> whatif_sheets(const link::StepGraph& step, const std::vector<EditRule>& rules, const WhatIf& result,
                                 std::span<const SweepPoint> points) {
  return whatif_sheets(step, rules, result, rows_of(points));
}

std::vector<Sheet> whatif_sheets(const link::StepGraph& step, const std::vector<EditRule>& rules, const WhatIf& result,
                                 std::span<const SweepRow> rows) {
  std::vector<Sheet> sheets;
  sheets.push_back(edits_sheet(rules, result));
  sheets.push_back(changed_bounds_sheet(result));
  sheets.push_back(moves_sheet(step, result));
  if (!rows.empty()) sheets.push_back(sweep_sheet(result.before.length(), rows));
  return sheets;
}

}  // namespace orrery::analyze
