#include "analyze/device/copy_sheets.h"

namespace orrery::analyze {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

Sheet copies_sheet(const std::vector<RankCopies>& ranks) {
  Sheet sheet("copies");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "device", .type = Type::integer, .title = "device", .decimals = report::kExact})
      .add({.name = "kind", .title = "kind"})
      .add({.name = "count", .type = Type::integer, .title = "count"})
      .add({.name = "without_bytes", .type = Type::integer})
      .add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes, .title = "bytes"})
      .add({.name = "time", .type = Type::time, .unit = Unit::us, .title = "time"})
      .add({.name = "any", .type = Type::time, .unit = Unit::us});
  for (const auto& [name, title] : {std::pair{"rate", "rate"},
                                    {"min", "least"},
                                    {"p25", ""},
                                    {"p50", "median"},
                                    {"p75", ""},
                                    {"max", "most"},
                                    {"concurrent", "together"},
                                    {"concurrent_max", ""}})
    sheet.add({.name = name, .type = Type::real, .unit = Unit::gb_per_s, .title = title, .decimals = 3});
  const auto cell_of_rate = [](const std::optional<double>& value) { return value ? Cell(*value) : Cell(nullptr); };
  for (const RankCopies& rank : ranks) {
    for (const CopyRates& kind : rank.kinds) {
      std::vector<Cell> cells = {rank.devices->rank->rank, kind.device, kind.kind, kind.count,
                                 kind.without_bytes,       kind.bytes,  kind.time, kind.any_time,
                                 cell_of_rate(kind.rate)};
      const auto& over = kind.per_copy;
      for (const auto member : {&CopyRates::OverCopies::least, &CopyRates::OverCopies::quarter, &CopyRates::OverCopies::median,
                                &CopyRates::OverCopies::three_quarters, &CopyRates::OverCopies::most})
        cells.push_back(over ? Cell((*over).*member) : Cell(nullptr));
      cells.push_back(cell_of_rate(kind.concurrent));
      cells.push_back(cell_of_rate(kind.concurrent_most));
      sheet.add_row(cells);
    }
  }
  return sheet;
}

}  // namespace orrery::analyze
