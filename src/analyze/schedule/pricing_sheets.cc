#include "analyze/schedule/pricing_sheets.h"

#include <utility>

namespace orrery::analyze {
namespace {

using report::Sheet;
using report::Type;
using report::Unit;
using simulate::PricingMode;

double added_percent(double inflation) { return (inflation - 1) * 100; }

}  // namespace

Sheet pricing_sheet(const simulate::PricingReport& report) {
  const bool snapshot = report.mode == PricingMode::snapshot;
  const auto if_snapshot = [&](auto value) { return snapshot ? report::Cell(value) : report::Cell(nullptr); };
  Sheet sheet("pricing");
  sheet.add({.name = "model", .title = "model"})
      .add({.name = "mode", .title = "mode"})
      .add({.name = "version"})
      .add({.name = "passes", .type = Type::integer, .title = "passes"})
      .add({.name = "makespan", .type = Type::time, .unit = Unit::ns, .title = "makespan"})
      .add({.name = "isolated_makespan", .type = Type::time, .unit = Unit::ns, .title = "isolated"})
      .add({.name = "operations", .type = Type::integer, .title = "operations"})
      .add({.name = "coalesced", .type = Type::integer})
      .add({.name = "snapshots", .type = Type::integer, .title = "snapshots"})
      .add({.name = "failed_snapshots", .type = Type::integer})
      .add({.name = "max_inflation", .type = Type::real, .unit = Unit::pct, .title = "sharing adds at most"})
      .add({.name = "mean_inflation", .type = Type::real, .unit = Unit::pct, .title = "on average"})
      .add({.name = "overlap_mismatch", .type = Type::real, .unit = Unit::pct, .title = "overlaps that changed"})
      .add({.name = "asked", .type = Type::integer})
      .add({.name = "cache_hits", .type = Type::integer})
      .add({.name = "fallbacks", .type = Type::integer});
  sheet.add_row({simulate::kPricingModelNames[static_cast<std::size_t>(report.model)],
                 simulate::kPricingModeNames[static_cast<std::size_t>(report.mode)], report.version, report.passes,
                 report.makespan_ps, if_snapshot(report.isolated_makespan_ps), if_snapshot(report.operations),
                 if_snapshot(report.coalesced), if_snapshot(report.snapshots), if_snapshot(report.failed_snapshots),
                 if_snapshot(added_percent(report.max_inflation)), if_snapshot(added_percent(report.mean_inflation)),
                 if_snapshot(report.overlap_mismatch * 100), report.asked, report.cache_hits, report.fallbacks});
  return sheet;
}

Sheet inflation_sheet(const simulate::PricingReport& report) {
  Sheet sheet("inflation");
  sheet.add({.name = "group", .title = "group"})
      .add({.name = "operations", .type = Type::integer, .title = "operations"})
      .add({.name = "max_inflation", .type = Type::real, .unit = Unit::pct, .title = "sharing adds at most"})
      .add({.name = "mean_inflation", .type = Type::real, .unit = Unit::pct, .title = "on average"});
  for (const simulate::GroupInflation& group : report.groups)
    sheet.add_row({group.group, group.operations, added_percent(group.max), added_percent(group.mean)});
  return sheet;
}

Sheet slowest_snapshots_sheet(const simulate::PricingReport& report) {
  Sheet sheet("slowest_snapshots");
  sheet.add({.name = "start", .type = Type::time, .unit = Unit::ns, .title = "from"})
      .add({.name = "end", .type = Type::time, .unit = Unit::ns, .title = "to"})
      .add({.name = "members", .type = Type::integer, .title = "under way"})
      .add({.name = "inflation", .type = Type::real, .unit = Unit::pct, .title = "sharing adds at most"});
  for (const simulate::SnapshotSummary& snapshot : report.slowest)
    sheet.add_row({snapshot.start_ps, snapshot.end_ps, snapshot.members, added_percent(snapshot.inflation)});
  return sheet;
}

std::vector<Sheet> pricing_sheets(const simulate::PricingReport& report) {
  std::vector<Sheet> sheets;
  sheets.push_back(pricing_sheet(report));
  if (report.mode != PricingMode::snapshot) return sheets;
  sheets.push_back(inflation_sheet(report));
  sheets.push_back(slowest_snapshots_sheet(report));
  return sheets;
}

}  // namespace orrery::analyze
