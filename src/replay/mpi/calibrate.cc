#include "replay/mpi/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/percent.h"
#include "base/statistics.h"
#include "base/units.h"
#include "machine/yaml/machine_yaml.h"
#include "simulate/run.h"

// Four numbers are fitted on a logarithmic scale by pattern search (Hooke and Jeeves): each is tried larger and smaller
// by a step, the best is kept, and the step is halved when nothing helps. Each trial is a whole simulation. Last, each
// number is nudged to see whether the run determines it, beyond what the others could do as well.

namespace orrery::replay {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

Result<Predicted> predict(const workload::Matching& matching, const machine::Machine& machine) {
  simulate::Pricing pricing = simulate::pricing_of(machine.communication.network_model);
  if (pricing.model == simulate::PricingModel::oracle)
    return Error{.message = "the machine asks for astra-sidecar, which a replay is not held against",
                 .hint = "communication: {network_model: fluid}"};
  // Programs say what ran beside what; a rank of an MPI job computes on one processor, as its process does here.
  pricing.placement = simulate::loggops::Placement::as_given;
  Diagnostics ignored;  // what the machine's own models have to remark on is about snapshots and other programs
  const auto outcome = simulate::run(matching.workload(), machine, pricing, simulate::engine_options(machine), ignored);
  if (!outcome) return outcome.error();
  return Predicted{outcome->schedule.makespan_ps(), collective_samples(matching.workload(), outcome->schedule),
                   message_samples(matching, outcome->schedule)};
}

double ComparedRow::error_percent() const { return change_percent(measured_ps, predicted_ps); }

std::vector<ComparedRow> compare(const Measured& measured, const Predicted& predicted) {
  std::vector<ComparedRow> rows;
  rows.push_back(
      {"makespan", 0, 0, 1, measured.makespans.times_ps.size(), measured.makespans.median_ps(), predicted.makespan_ps});
  for (const auto& [key, sample] : measured.collectives) {
    const auto other = predicted.collectives.find(key);
    if (other == predicted.collectives.end() || sample.times_ps.empty() || other->second.times_ps.empty()) continue;
    rows.push_back({std::string(to_string(key.kind)), key.ranks, key.bytes, sample.per_run, sample.times_ps.size(),
                    sample.median_ps(), other->second.median_ps()});
  }
  for (const auto& [bytes, sample] : measured.messages) {
    const auto other = predicted.messages.find(bytes);
    if (other == predicted.messages.end() || sample.times_ps.empty() || other->second.times_ps.empty()) continue;
    rows.push_back(
        {"message", 2, bytes, sample.per_run, sample.times_ps.size(), sample.median_ps(), other->second.median_ps()});
  }
  return rows;
}

Sheet against_sheet(const std::vector<ComparedRow>& rows, std::string name) {
  Sheet sheet(std::move(name));
  sheet.add({.name = "what", .title = "simulated against measured"})
      .add({.name = "ranks", .type = Type::integer, .title = "ranks", .decimals = report::kExact})
      .add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes, .title = "size"})
      .add({.name = "calls", .type = Type::integer, .title = "per run"})
      .add({.name = "samples", .type = Type::integer})
      .add({.name = "measured", .type = Type::time, .unit = Unit::us, .title = "measured"})
      .add({.name = "simulated", .type = Type::time, .unit = Unit::us, .title = "simulated"})
      .add(
          {.name = "error", .type = Type::real, .unit = Unit::pct, .title = "error", .is_change = true, .decimals = 1});
  for (const ComparedRow& row : rows) {
    const bool is_whole = row.ranks == 0;
    sheet.add_row({row.what, is_whole ? Cell(nullptr) : Cell(row.ranks), is_whole ? Cell(nullptr) : Cell(row.bytes),
                   row.per_run, row.samples, row.measured_ps, row.predicted_ps, row.error_percent()});
  }
  return sheet;
}

namespace {

constexpr std::size_t kParameters = 4;
constexpr std::array<const char*, kParameters> kNames = {"latency_ns", "bandwidth_gb_per_s", "message_overhead_us",
                                                         "launch_overhead_us"};
constexpr std::array<double, kParameters> kLeast = {1, 1e-4, 1e-3, 1e-3}, kMost = {1e9, 1e5, 1e6, 1e6};
constexpr double kFirstStep = 2, kLastStep = 0.04;  // of base-2 logarithms: a factor of 4, and of 1.03
constexpr int kMostSimulations = 400;
constexpr double kNudge = 0.1;  // of base-2 logarithms, to see what a parameter does
constexpr double kSeen =
    0.05;  // what a parameter must do to a row beyond what others could do, in the mean: percent per percent
constexpr TimePs kTooShort = 1000;  // shorter times say more about the clock than about the network

using Values = std::array<double, kParameters>;

/// Four digits are more than a run tells, and can be read.
double rounded(double value) {
  const double scale = std::pow(10, 3 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

machine::Machine describe(const Values& values, std::size_t ranks) {
  machine::Machine machine;
  machine.name = fmt::format("{} processes, fitted to a replay by MPI", ranks);
  machine.devices.count = static_cast<std::int64_t>(ranks);
  machine.devices.name = "process";
  machine::Dimension dimension;
  dimension.name = "network";
  dimension.topology = machine::Topology::switched;
  dimension.size = static_cast<std::int64_t>(ranks);
  dimension.latency_ns = rounded(values[0]);
  dimension.bandwidth_gb_per_s = rounded(values[1]);
  machine.network.push_back(std::move(dimension));
  machine.communication.collective_algorithm = machine::CollectiveAlgorithm::mpi;
  machine.communication.message_overhead_us = rounded(values[2]);
  machine.communication.launch_overhead_us = rounded(values[3]);
  // The same machine for the model that knows no links: two of them, and the software at each end.
  machine::LogGops loggops;
  loggops.latency_ns = rounded(2 * values[0]);
  // Half of the overhead at each end, in nanoseconds: 1000 / 2.
  loggops.overhead_ns = rounded(500 * values[2]);
  loggops.gap_ns = rounded(500 * values[2]);
  // GB/s are bytes per nanosecond.
  loggops.gap_ns_per_byte = rounded(1 / values[1]);
  machine.communication.loggops = loggops;
  return machine;
}

/// The root mean square of a column without what lies in the direction of the others (Gram and Schmidt).
double length_beside(const std::array<std::vector<double>, kParameters>& columns, std::size_t which) {
  const auto product = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  const auto take_out = [&](std::vector<double>& from, const std::vector<std::vector<double>>& directions) {
    for (const std::vector<double>& direction : directions) {
      const double part = product(from, direction);
      for (std::size_t row = 0; row < from.size(); ++row) from[row] -= part * direction[row];
    }
  };
  std::vector<std::vector<double>> others;
  for (std::size_t p = 0; p < columns.size(); ++p) {
    if (p == which) continue;
    std::vector<double> rest = columns[p];
    take_out(rest, others);
    const double length = std::sqrt(product(rest, rest));
    if (length < 1e-6) continue;
    for (double& value : rest) value /= length;
    others.push_back(std::move(rest));
  }
  std::vector<double> rest = columns[which];
  take_out(rest, others);
  return std::sqrt(product(rest, rest) / static_cast<double>(std::max<std::size_t>(1, rest.size())));
}

class Search {
 public:
  Search(const Measured& measured, const workload::Matching& matching) : measured_(measured), matching_(matching) {}

  /// Logarithms of simulated over measured times: the makespan first. Empty where nothing can be simulated.
  std::vector<double> deviations(const Values& values) {
    ++simulations_;
    const auto predicted = predict(matching_, describe(values, matching_.workload().rank_count()));
    if (!predicted) {
      error_ = predicted.error();
      return {};
    }
    std::vector<double> found;
    std::vector<ComparedRow> rows = compare(measured_, *predicted);
    // Whoever else uses the machine makes a run longer, never shorter; of calls the median forgets it.
    rows.front().measured_ps = measured_.makespans.least_ps();
    found.reserve(rows.size());
    for (const ComparedRow& row : rows) {
      found.push_back(std::log(static_cast<double>(std::max(row.predicted_ps, kTooShort)) /
                               static_cast<double>(std::max(row.measured_ps, kTooShort))));
    }
    return found;
  }

  /// The makespan counts as much as all other rows together: of many short calls the median may be short, and their sum
  /// is not. Infinite where nothing can be simulated.
  double misfit(const Values& values) {
    const std::vector<double> found = deviations(values);
    if (found.empty()) return HUGE_VAL;
    const double others = std::inner_product(found.begin() + 1, found.end(), found.begin() + 1, 0.0);
    return others / static_cast<double>(std::max<std::size_t>(1, found.size() - 1)) + found[0] * found[0];
  }

  Values run(Values best) {
    double least = misfit(best);
    for (double step = kFirstStep; step > kLastStep && simulations_ < kMostSimulations;) {
      bool is_better = false;
      for (std::size_t p = 0; p < kParameters; ++p) {
        for (const double direction : {1.0, -1.0}) {
          Values tried = best;
          tried[p] = std::clamp(best[p] * std::exp2(direction * step), kLeast[p], kMost[p]);
          const double found = misfit(tried);
          if (found >= least) continue;
          best = tried, least = found, is_better = true;
          break;
        }
      }
      if (!is_better) step /= 2;
    }
    return best;
  }

  /// Per parameter, how much of what it does to the rows the others cannot do: from 0 (nothing) to 1 (all rows are
  /// proportional to it).
  Values own_effects(const Values& best) {
    std::array<std::vector<double>, kParameters> effects;
    const std::vector<double> before = deviations(best);
    for (std::size_t p = 0; p < kParameters; ++p) {
      Values nudged = best;
      nudged[p] *= std::exp2(kNudge);
      effects[p] = deviations(nudged);
      for (std::size_t row = 0; row < effects[p].size(); ++row)
        effects[p][row] = (effects[p][row] - before[row]) / (kNudge * std::log(2));
    }
    Values own{};
    for (std::size_t p = 0; p < kParameters; ++p) own[p] = length_beside(effects, p);
    return own;
  }

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  const Measured& measured_;
  const workload::Matching& matching_;
  std::optional<Error> error_;
  int simulations_ = 0;
};

/// Where to begin: the shortest time is latency, the best rate is bandwidth.
Values first_guess(const Measured& measured) {
  double shortest_ns = 1e9, rate = 0;
  const auto look = [&](std::int64_t bytes, const Sample& sample) {
    if (sample.times_ps.empty()) return;
    const double ns = std::max(1.0, static_cast<double>(sample.median_ps()) / 1000);
    shortest_ns = std::min(shortest_ns, ns);
    rate = std::max(rate, static_cast<double>(bytes) / ns);
  };
  for (const auto& [key, sample] : measured.collectives) look(key.bytes, sample);
  for (const auto& [bytes, sample] : measured.messages) look(bytes, sample);
  // An eighth of the shortest time for a link, a quarter for each of the overheads, which are in microseconds.
  const Values guess = {shortest_ns / 8, rate, shortest_ns / 4000, shortest_ns / 4000};
  Values bounded = guess;
  for (std::size_t p = 0; p < kParameters; ++p) bounded[p] = std::clamp(guess[p], kLeast[p], kMost[p]);
  return bounded;
}

}  // namespace

Result<Calibration> calibrate(const Measured& measured, const workload::Matching& matching) {
  const std::size_t ranks = matching.workload().rank_count();
  std::uint64_t samples = 0;
  for (const auto& [key, sample] : measured.collectives) samples += sample.times_ps.size();
  for (const auto& [bytes, sample] : measured.messages) samples += sample.times_ps.size();
  if (ranks < 2 || samples == 0)
    return Error{.message = "there is no communication to fit a machine to",
                 .hint = "a job of several ranks, with messages or collectives of several sizes"};
  Search search(measured, matching);
  const Values best = search.run(first_guess(measured));
  if (!std::isfinite(search.misfit(best)))
    return search.error().value_or(Error{"the fitted machine cannot be simulated"});
  Calibration calibration;
  calibration.machine = describe(best, ranks);
  calibration.samples = samples;
  const Values own = search.own_effects(best);
  for (std::size_t p = 0; p < kParameters; ++p)
    calibration.parameters.push_back({kNames[p], rounded(best[p]), own[p] > kSeen});
  const auto predicted = predict(matching, calibration.machine);
  if (!predicted) return predicted.error();
  calibration.rows = compare(measured, *predicted);
  std::vector<double> errors;
  for (const ComparedRow& row : calibration.rows) errors.push_back(std::abs(row.error_percent()));
  calibration.median_error_percent = lower_median(errors);
  calibration.worst_error_percent = *std::max_element(errors.begin(), errors.end());
  return calibration;
}

std::string Calibration::yaml() const {
  std::string text =
      fmt::format("# Fitted by orrery replay --on mpi --calibrate to {} samples in {} rows.\n", samples, rows.size());
  text += fmt::format("#   residual of a row                  {:.1f} % in the median, {:.1f} % at most\n",
                      median_error_percent, worst_error_percent);
  text += fmt::format("#   makespan                           {:.1f} % off\n", rows.front().error_percent());
  for (const FittedParameter& parameter : parameters) {
    if (!parameter.is_determined) text += fmt::format("#   {:<34} the run does not tell\n", parameter.name);
  }
  return text + machine::to_yaml(machine);
}

report::Sheet parameters_sheet(const Calibration& calibration) {
  report::Sheet sheet("parameters");
  sheet.add({.name = "parameter", .title = "fitted"})
      .add({.name = "value", .type = report::Type::real, .title = "value", .decimals = 4})
      .add({.name = "determined", .type = report::Type::flag, .title = "told by the run"});
  for (const FittedParameter& parameter : calibration.parameters)
    sheet.add_row({parameter.name, parameter.value, parameter.is_determined});
  return sheet;
}

report::Sheet residuals_sheet(const Calibration& calibration) { return against_sheet(calibration.rows, "residuals"); }

}  // namespace orrery::replay
