#include "llm/backtest/calibration_sheets.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "llm/backtest/backtest.h"
#include "machine/device/device_yaml.h"

namespace orrery::llm {
namespace {

using report::Cell, report::Type, report::Unit;

// Points of the mean error that ten percent of a constant must cost for the rows to have a say.
constexpr double kWell = 0.1;
constexpr double kWeakly = 0.01;

const char* how_well(const LearntConstant& constant) {
  const double least = std::min(constant.with_more_pct, constant.with_less_pct);
  if (least >= kWell) return "well";
  return least >= kWeakly ? "weakly" : "not";
}

struct KindErrors {
  std::vector<double> before = {}, after = {}, held_out = {};

  void add(const CalibratedRow& row) {
    before.push_back(error_pct(row.before_us, row.measured_us));
    after.push_back(error_pct(row.after_us, row.measured_us));
    if (row.held_out_us) held_out.push_back(error_pct(*row.held_out_us, row.measured_us));
  }
};

void add_errors(report::Sheet& sheet, const std::string& kind, const KindErrors& errors) {
  const Cell held_out = errors.held_out.empty() ? Cell(nullptr) : Cell(summarise_errors(errors.held_out).mean_pct);
  sheet.add_row({kind, errors.before.size(), summarise_errors(errors.before).mean_pct,
                 summarise_errors(errors.after).mean_pct, held_out});
}

}  // namespace

report::Sheet constant_sheet(const Calibration& calibration) {
  report::Sheet sheet("constants");
  sheet.add({.name = "constant", .title = "constant"})
      .add({.name = "before", .type = Type::real})
      .add({.name = "after", .type = Type::real})
      // Microseconds and shares in one column: people read digits, not decimals.
      .add({.name = "from", .title = "before", .people_only = true})
      .add({.name = "to", .title = "after", .people_only = true})
      .add({.name = "change",
            .type = Type::real,
            .unit = Unit::pct,
            .title = "change",
            .is_change = true,
            .decimals = 1})
      .add({.name = "with_more",
            .type = Type::real,
            .unit = Unit::pct,
            .title = "10 % more",
            .is_change = true,
            .decimals = 2})
      .add({.name = "with_less",
            .type = Type::real,
            .unit = Unit::pct,
            .title = "10 % less",
            .is_change = true,
            .decimals = 2})
      .add({.name = "determined", .title = "determined"});
  for (const LearntConstant& one : calibration.constants) {
    sheet.add_row({one.path, one.before, one.after, fmt::format("{:.4g}", one.before), fmt::format("{:.4g}", one.after),
                   error_pct(one.after, one.before), one.with_more_pct, one.with_less_pct, how_well(one)});
  }
  return sheet;
}

report::Sheet calibrated_kind_sheet(const Calibration& calibration) {
  report::Sheet sheet("kinds");
  sheet.add({.name = "kind", .title = "kernel"})
      .add({.name = "rows", .type = Type::integer, .title = "rows"})
      .add({.name = "before", .type = Type::real, .unit = Unit::pct, .title = "error before", .decimals = 1})
      .add({.name = "after", .type = Type::real, .unit = Unit::pct, .title = "after", .decimals = 1})
      .add({.name = "held_out", .type = Type::real, .unit = Unit::pct, .title = "not seen", .decimals = 1});
  std::map<std::string, KindErrors> kinds;
  KindErrors all;
  for (const CalibratedRow& row : calibration.rows) {
    kinds[row.kind].add(row);
    all.add(row);
  }
  for (const auto& [kind, errors] : kinds) add_errors(sheet, kind, errors);
  add_errors(sheet, "all", all);
  return sheet;
}

report::Sheet calibrated_row_sheet(const Calibration& calibration) {
  report::Sheet sheet("rows");
  sheet.add({.name = "kind"});
  for (const char* name : {"measured", "before", "after", "held_out"})
    sheet.add({.name = name, .type = Type::real, .unit = Unit::us});
  for (const CalibratedRow& row : calibration.rows) {
    sheet.add_row({row.kind, row.measured_us, row.before_us, row.after_us,
                   row.held_out_us ? Cell(*row.held_out_us) : Cell(nullptr)});
  }
  return sheet;
}

std::string calibrated_yaml(const Calibration& calibration, const std::string& table, const KernelDevice& base) {
  std::set<std::string> learnt;
  for (const LearntConstant& one : calibration.constants) learnt.insert(one.path);
  const machine::FieldComment comment = [&](const std::string& path) {
    if (path.starts_with("accuracy[") || learnt.contains(path)) return std::string("[calibrated]");
    const bool borrowed = !base.shares_of.empty() && path.starts_with("standalone.");
    return borrowed ? fmt::format("[{}]", base.shares_of) : std::string();
  };
  // The folder is the user's own business.
  const std::string file = std::filesystem::path(table).filename().string();
  std::string head = fmt::format(
      "# Written by orrery llm calibrate.\n#\n# Sources:\n"
      "#   [calibrated]  fitted on {} kernel timings, {} shapes, of {}; accuracy: of shapes that the constants had not "
      "seen\n",
      calibration.timings(), calibration.shapes, file);
  if (!base.shares_of.empty())
    head += fmt::format("#   [{0}]        the shares of {0}: nothing in the table says more\n", base.shares_of);
  head += fmt::format("#   without mark  as in the description of {} that the fit began with\n", base.device.name);
  return head + to_yaml(calibration.device, comment);
}

}  // namespace orrery::llm
