#include "motif/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.h"
#include "motif/flow_walk.h"

namespace orrery::motif {
namespace {

constexpr double kNineOfTen = 1.645;  // standard deviations on either side of the middle

/// Where `value` lies in an ascending grid: the cell below it, and how far into it. Outside, the cell at the border,
/// and less than 0 or more than 1.
struct GridPlace {
  std::size_t cell = 0;
  double within = 0;
};
GridPlace place_in(const std::vector<double>& grid, double value) {
  if (grid.size() < 2) return {};
  std::size_t cell = 0;
  while (cell + 2 < grid.size() && value >= grid[cell + 1]) ++cell;
  return {cell, (value - grid[cell]) / (grid[cell + 1] - grid[cell])};
}

double spread_at(const Uncertainty& uncertainty, const RunParameters& run) {
  const std::size_t rows = uncertainty.nodes.size(), columns = uncertainty.sizes.size();
  if (rows == 0 || columns == 0 || uncertainty.spread.size() != rows * columns) return 0;
  const GridPlace row = place_in(uncertainty.nodes, run.nodes), column = place_in(uncertainty.sizes, run.size);
  const auto at = [&](std::size_t i, std::size_t j) {
    return uncertainty.spread[std::min(i, rows - 1) * columns + std::min(j, columns - 1)];
  };
  const auto blend = [](double low, double high, double within) {
    const double value = low + (high - low) * within;
    // Farther out nothing is known better than at the border.
    if (within > 1) return std::max(value, high);
    return within < 0 ? std::max(value, low) : value;
  };
  const double low = blend(at(row.cell, column.cell), at(row.cell, column.cell + 1), column.within);
  const double high = blend(at(row.cell + 1, column.cell), at(row.cell + 1, column.cell + 1), column.within);
  return blend(low, high, row.within);
}

}  // namespace

double Extrapolation::farthest() const {
  const auto times = [](double factor) { return std::max(factor, 1 / factor); };
  return std::max(times(size), times(nodes));
}

Extrapolation extrapolation(const Motif& motif, const RunParameters& run) {
  const auto beyond = [](double value, double least, double most) {
    if (!(least > 0) || !(most >= least)) return 1.0;
    return value > most ? value / most : value < least ? value / least : 1.0;
  };
  const auto amount = [&](double size) {
    return motif.size_meaning == SizeMeaning::exponent && size > 0 ? std::exp2(size) : size;
  };
  return {.size = beyond(amount(run.size), amount(motif.fit.smallest_size), amount(motif.fit.largest_size)),
          .nodes = beyond(run.nodes, motif.fit.fewest_nodes, motif.fit.most_nodes)};
}

Status check_extrapolation(const Motif& motif, const RunParameters& run) {
  const Extrapolation outside = extrapolation(motif, run);
  if (outside.farthest() <= kMostTimes) return {};
  const auto times = static_cast<std::uint64_t>(std::min(outside.farthest(), 1e18));
  return Error{.message = fmt::format("size {} on {} nodes is {} times beyond the runs that the motif was fitted to "
                                      "(sizes {} to {}, nodes {} to {})",
                                      run.size, run.nodes, format_count(times), motif.fit.smallest_size,
                                      motif.fit.largest_size, motif.fit.fewest_nodes, motif.fit.most_nodes),
               .hint = "laws are followed up to a million times; fit runs that are nearer"};
}

double log_sigma(const Motif& motif, const RunParameters& run) {
  const Extrapolation outside = extrapolation(motif, run);
  const auto growth = [](double factor) {
    // Within a small factor of the fitted runs laws are trusted; beyond, an error of the exponent grows with the
    // distance.
    return std::max(0.0, std::abs(std::log(factor)) - std::log(kFarTimes)) * kExponentSigma;
  };
  // Independent errors add up as squares.
  return std::hypot(motif.uncertainty.residual, spread_at(motif.uncertainty, run),
                    growth(outside.size) + growth(outside.nodes));
}

Prediction predict(const Motif& motif, const RunParameters& run) {
  const Scope scope(run, motif.size_meaning);
  const BytesAt bytes = [&](std::uint32_t id, const Scope& at) {
    const Site* site = motif.find_site(id);
    return site == nullptr ? 0 : site->bytes.at(at);
  };
  FlowCounts sum;
  for (const RankClass& one : motif.classes) {
    const double share = std::min(one.share.at(scope), 1.0);
    const FlowCounts counts = count_flow(one.flow, scope, bytes);
    for (const auto& [id, use] : counts.sites) {
      sum.sites[id].calls += share * use.calls;
      sum.sites[id].bytes += share * use.bytes;
    }
    for (const auto& [key, times] : counts.transitions) sum.transitions[key] += share * times;
  }

  Prediction prediction;
  std::map<std::string, FunctionUse> functions;
  for (const auto& [id, use] : sum.sites) {
    prediction.calls += use.calls;
    prediction.sites.push_back({id, use.calls, use.bytes});
    const Site* site = motif.find_site(id);
    const std::string name = site == nullptr || site->operation.empty() ? "unknown" : site->operation;
    FunctionUse& function = functions[name];
    function.operation = name;
    function.calls += use.calls;
    function.bytes += use.bytes;
  }
  for (const auto& [name, use] : functions) prediction.functions.push_back(use);
  for (const auto& [key, times] : sum.transitions) {
    if (key.first == 0) continue;  // what passes before the first call is no part of the traces
    const Transition* transition = motif.find_transition(key.first, key.second);
    const double time = transition == nullptr ? 0 : transition->time_us.at(scope);
    const double compute = transition == nullptr ? 0 : std::min(transition->compute_us.at(scope), time);
    prediction.transitions.push_back({key.first, key.second, times, time, compute});
    prediction.total_us += times * time;
    prediction.compute_us += times * compute;
  }
  const double factor = std::exp(kNineOfTen * log_sigma(motif, run));
  prediction.low_us = prediction.total_us / factor;
  prediction.high_us = prediction.total_us * factor;
  prediction.simulated_low_us = prediction.compute_us / factor;
  prediction.simulated_high_us = prediction.high_us;
  return prediction;
}

}  // namespace orrery::motif
