#include "replay/mpi/replay_sheets.h"

namespace orrery::replay {
namespace {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

void add_times(Sheet& sheet) {
  sheet.add({.name = "median", .type = Type::time, .unit = Unit::us, .title = "median"})
      .add({.name = "least", .type = Type::time, .unit = Unit::us, .title = "least"})
      .add({.name = "most", .type = Type::time, .unit = Unit::us, .title = "most"});
}

Cell known(const Sample& sample, TimePs time) { return sample.times_ps.empty() ? Cell(nullptr) : Cell(time); }

}  // namespace

Sheet repetitions_sheet(const Measured& measured, bool is_recorded) {
  Sheet sheet("repetitions");
  sheet.add({.name = "repetition", .type = Type::integer, .title = "repetition", .decimals = report::kExact})
      .add({.name = "makespan", .type = Type::time, .unit = Unit::us, .title = "makespan"})
      .add({.name = "recorded", .type = Type::flag, .title = is_recorded ? "recorded" : ""});
  const std::vector<TimePs>& times = measured.makespans.times_ps;
  for (std::size_t repeat = 0; repeat < times.size(); ++repeat) {
    const bool recorded = is_recorded && repeat + 1 == times.size();
    sheet.add_row({repeat + 1, times[repeat], recorded});
  }
  return sheet;
}

Sheet collectives_sheet(const Measured& measured) {
  Sheet sheet("collectives");
  sheet.add({.name = "collective", .title = "collective"})
      .add({.name = "ranks", .type = Type::integer, .title = "ranks", .decimals = report::kExact})
      .add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes, .title = "size"})
      .add({.name = "calls", .type = Type::integer, .title = "calls per run"});
  add_times(sheet);
  for (const auto& [key, sample] : measured.collectives)
    sheet.add_row({to_string(key.kind), key.ranks, key.bytes, sample.per_run, sample.median_ps(), sample.least_ps(),
                   sample.most_ps()});
  return sheet;
}

Sheet messages_sheet(const Measured& measured) {
  Sheet sheet("messages");
  sheet.add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes, .title = "message of"})
      .add({.name = "messages", .type = Type::integer, .title = "messages per run"});
  add_times(sheet);
  for (const auto& [bytes, sample] : measured.messages)
    sheet.add_row({bytes, sample.per_run, known(sample, sample.median_ps()), known(sample, sample.least_ps()),
                   known(sample, sample.most_ps())});
  return sheet;
}

}  // namespace orrery::replay
