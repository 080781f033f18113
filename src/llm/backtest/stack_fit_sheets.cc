#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>

#include "llm/backtest/stack_fit.h"
#include "llm/catalog_fields.h"
#include "machine/yaml/field_writer.h"

namespace orrery::llm {
namespace {

using report::Type, report::Unit;

struct PointErrors {
  std::vector<double> start = {}, fitted = {}, left_out = {};

  void add(const FittedPoint& point) {
    start.push_back(error_pct(point.start_ms, point.measured_ms));
    fitted.push_back(error_pct(point.fitted_ms, point.measured_ms));
    left_out.push_back(error_pct(point.left_out_ms, point.measured_ms));
  }
};

template <typename NameOf>
report::Sheet grouped_sheet(const StackFit& fit, std::string name, const std::string& key, const NameOf& name_of) {
  report::Sheet sheet(std::move(name));
  sheet.add({.name = key, .title = key}).add({.name = "rows", .type = Type::integer, .title = "rows"});
  for (const auto& [column, title] : {std::pair{"start", "error at the start"},
                                      {"fitted", "fitted"},
                                      {"left_out", "model left out"},
                                      {"left_out_median", "median"}})
    sheet.add({.name = column, .type = Type::real, .unit = Unit::pct, .title = title, .decimals = 1});
  std::map<std::string, PointErrors> groups;
  PointErrors all;
  for (const FittedPoint& point : fit.points) {
    groups[name_of(point)].add(point);
    all.add(point);
  }
  const auto add_row = [&](const std::string& group, const PointErrors& errors) {
    const ErrorSummary left_out = summarise_errors(errors.left_out);
    sheet.add_row({group, errors.start.size(), summarise_errors(errors.start).mean_pct,
                   summarise_errors(errors.fitted).mean_pct, left_out.mean_pct, left_out.median_pct});
  };
  for (const auto& [group, errors] : groups) add_row(group, errors);
  add_row("all", all);
  return sheet;
}

}  // namespace

report::Sheet stack_sheet(const StackFit& fit) {
  report::Sheet sheet("stacks");
  sheet.add({.name = "stack", .title = "stack"}).add({.name = "generations", .title = "generations"});
  for (const auto& [name, title, decimals] : {std::tuple{"layer_us", "layer us", 1},
                                              {"expert_layer_us", "+ experts", 1},
                                              {"latent_layer_us", "+ latent", 1},
                                              {"memory_share", "of memory", 3},
                                              {"all_reduce_us", "all-reduce us", 1},
                                              {"all_reduce_share", "of link", 3},
                                              {"prompt_matrix_share", "of peak, prompts", 3}})
    sheet.add({.name = name, .type = Type::real, .title = title, .decimals = decimals});
  const auto add_row = [&](const StackRates& one) {
    sheet.add_row({one.stack, fmt::format("{}", fmt::join(one.generations, ", ")), one.layer_us, one.expert_layer_us,
                   one.latent_layer_us, one.memory_share, one.all_reduce_us, one.all_reduce_share,
                   one.prompt_matrix_share});
  };
  for (const StackRates& one : fit.constants.stacks) add_row(one);
  add_row(fit.constants.common);
  return sheet;
}

report::Sheet pull_sheet(const StackFit& fit) {
  report::Sheet sheet("pulls");
  sheet.add({.name = "pull", .type = Type::real, .title = "pull", .decimals = 0})
      .add({.name = "left_out", .type = Type::real, .unit = Unit::pct, .title = "models left out", .decimals = 2})
      .add({.name = "chosen", .type = Type::flag, .title = "chosen"});
  for (const PullTrial& one : fit.trials) sheet.add_row({one.pull, one.left_out_pct, one.pull == fit.constants.pull});
  return sheet;
}

report::Sheet fitted_model_sheet(const StackFit& fit) {
  return grouped_sheet(fit, "models", "model", [](const FittedPoint& point) { return point.model; });
}
report::Sheet fitted_server_sheet(const StackFit& fit) {
  return grouped_sheet(fit, "servers", "server",
                       [](const FittedPoint& point) { return fmt::format("{} on {}", point.stack, point.device); });
}

std::string stacks_yaml(const StackFit& fit, const std::string& table, const std::string& origin) {
  // The folder is the user's own business.
  std::string out = "# Written by orrery llm calibrate; docs/LLM.md (measured serving) tells the fields.\n";
  out += fmt::format("# Points: {} of {}", fit.points.size(), std::filesystem::path(table).filename().string());
  out += origin.empty() ? "\n" : fmt::format(": {}\n", origin);
  out +=
      "# start, shares and factors outside of the stacks were set by hand; common and stacks are fitted, unseen is of "
      "models left out.\n";
  machine::FieldWriter writer(out);
  describe(writer, fit.constants);
  return out;
}

}  // namespace orrery::llm
