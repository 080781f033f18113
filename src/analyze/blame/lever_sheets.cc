#include "analyze/blame/lever_sheets.h"

namespace orrery::analyze {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

Sheet levers_sheet(const causal::CausalGraph& job, const Levers& levers) {
  Sheet sheet("levers");
  sheet.add({.name = "scope"})
      .add({.name = "select", .title = "opportunity"})
      .add({.name = "kind"})
      .add({.name = "name"})
      .add({.name = "what"})
      .add({.name = "group"})
      .add({.name = "total", .type = Type::time, .unit = Unit::us, .title = "total"})
      .add({.name = "on_path", .type = Type::time, .unit = Unit::us, .title = "on path"})
      .add({.name = "derivative", .type = Type::real, .title = "derivative"})
      .add({.name = "gain_if_free", .type = Type::time, .unit = Unit::us, .title = "gain if free"})
      .add({.name = "gain_10pct", .type = Type::time, .unit = Unit::us, .title = "10 % faster"});
  const auto text = [&](StringId id) { return id == 0 ? Cell(nullptr) : Cell(job.strings.text(id)); };
  const auto time = [](const std::optional<TimePs>& gain) { return gain ? Cell(*gain) : Cell(nullptr); };
  for (const Lever& lever : levers.all) {
    const bool is_group = lever.scope == LeverScope::group;
    const char* const kind =
        causal::is_idle(lever.kind) ? "idle" : identifier(lever.kind);  // of threads and devices, one sort of gap
    sheet.add_row({identifier(lever.scope), lever.select, kind, text(lever.name), text(lever.what),
                   is_group ? Cell(job.strings.text(lever.group)) : Cell(nullptr), lever.total, lever.on_path,
                   lever.derivative(), time(lever.gain_if_free), time(lever.gain_10pct)});
  }
  return sheet;
}

Sheet rank_gains_sheet(const causal::CausalGraph& job, const Levers& levers) {
  Sheet sheet("ranks");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank"})
      .add({.name = "gain_if_typical", .type = Type::time, .unit = Unit::us, .title = "gain if typical"});
  for (const RankGain& gain : levers.ranks) sheet.add_row({job.ranks[gain.rank].rank, gain.gain_if_typical});
  return sheet;
}

Sheet lever_pairs_sheet(const Levers& levers) {
  Sheet sheet("pairs");
  sheet.add({.name = "a", .title = "10 % faster"})
      .add({.name = "b", .title = "and"})
      .add({.name = "gain_both", .type = Type::time, .unit = Unit::us, .title = "gain"})
      .add({.name = "overlap", .type = Type::time, .unit = Unit::us, .title = "overlap"});
  for (const LeverPair& pair : levers.pairs)
    sheet.add_row({levers.all[pair.a].select, levers.all[pair.b].select, pair.gain_both, pair.overlap});
  return sheet;
}

Sheet lever_order_sheet(const Levers& levers) {
  Sheet sheet("order");
  sheet.add({.name = "select", .title = "in this order, each 10 % faster"})
      .add({.name = "gain", .type = Type::time, .unit = Unit::us, .title = "adds"})
      .add({.name = "total_gain", .type = Type::time, .unit = Unit::us, .title = "in all"});
  for (const LeverStep& step : levers.order) sheet.add_row({levers.all[step.lever].select, step.gain, step.total_gain});
  return sheet;
}

Sheet lever_unions_sheet(const causal::CausalGraph& job, const Levers& levers) {
  Sheet sheet("unions");
  sheet.add({.name = "select", .title = "groups that are alike, together"})
      .add({.name = "what"})
      .add({.name = "groups", .type = Type::integer, .title = "groups"})
      .add({.name = "members", .type = Type::integer, .title = "of"})
      .add({.name = "total", .type = Type::time, .unit = Unit::us, .title = "total"})
      .add({.name = "on_path", .type = Type::time, .unit = Unit::us, .title = "on path"})
      .add({.name = "gain_if_free", .type = Type::time, .unit = Unit::us, .title = "gain if free"})
      .add({.name = "alone_if_free", .type = Type::time, .unit = Unit::us, .title = "one by one"})
      .add({.name = "gain_10pct", .type = Type::time, .unit = Unit::us, .title = "10 % faster"})
      .add({.name = "alone_10pct", .type = Type::time, .unit = Unit::us, .title = "one by one"});
  for (const LeverUnion& all : levers.unions) {
    sheet.add_row({all.select, job.strings.text(all.what), all.groups, all.members, all.total, all.on_path,
                   all.gain_if_free, all.alone_if_free, all.gain_10pct, all.alone_10pct});
  }
  return sheet;
}

}  // namespace orrery::analyze
