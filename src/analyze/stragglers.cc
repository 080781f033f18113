#include "analyze/stragglers.h"

#include <algorithm>

namespace orrery::analyze {
namespace {

constexpr double kUnlikely = 0.01;
constexpr double kWorthFixing = 0.005;         // of the job
constexpr double kWorthMentioning = 0.01;      // of a step, by which each of the others waits
constexpr double kOutlierSigmas = 5 * 1.4826;  // median absolute deviations as standard deviations, of a normal distribution

TimePs lower_median(std::vector<TimePs> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Above this a step of a rank stands out from all steps of all ranks.
double outlier_bound(std::span<const TimePs> blame) {
  std::vector<TimePs> values(blame.begin(), blame.end());
  const TimePs median = lower_median(values);
  for (TimePs& value : values) value = value > median ? value - median : median - value;
  return static_cast<double>(median) + kOutlierSigmas * static_cast<double>(lower_median(std::move(values)));
}

Pattern pattern_of(const Straggler& straggler, std::size_t steps, bool too_few, bool is_worth_fixing) {
  if (too_few) return straggler.worst_in_steps == steps ? Pattern::undecided : Pattern::none;
  if (straggler.p < kUnlikely && is_worth_fixing) return Pattern::persistent;
  // More than half of all steps are no exceptions.
  if (!straggler.outlier_steps.empty() && 2 * straggler.outlier_steps.size() <= steps) return Pattern::intermittent;
  return Pattern::none;
}

}  // namespace

const char* to_string(Pattern pattern) {
  static constexpr const char* kNames[] = {"none", "undecided", "persistent", "intermittent"};
  return kNames[static_cast<std::size_t>(pattern)];
}

std::optional<std::uint32_t> BlameBySteps::worst(std::size_t step) const {
  const auto row = all().subspan(step * ranks_, ranks_);
  const auto most = std::max_element(row.begin(), row.end());
  if (most == row.end() || *most == 0) return std::nullopt;
  return static_cast<std::uint32_t>(most - row.begin());
}

// P^(1-S): the chance that the rank which is the worst of the first step is that of all.
bool too_few_steps(std::size_t steps, std::size_t ranks) {
  double chance = 1;
  for (std::size_t s = 1; s < steps && chance >= kUnlikely; ++s) chance /= static_cast<double>(ranks);
  return chance >= kUnlikely;
}

double chance_of_worst(std::size_t steps, std::size_t ranks, std::size_t worst) {
  if (worst == 0 || ranks < 2) return 1;
  const double q = 1.0 / static_cast<double>(ranks);
  // The term of exactly `worst`. Factors above and below 1 take turns, so that neither overflow nor underflow comes in between; plain
  // products, since library functions differ from machine to machine.
  double term = 1;
  std::size_t misses = steps - worst;
  for (std::size_t i = 1; i <= worst; ++i) {
    term *= static_cast<double>(steps - worst + i) / static_cast<double>(i) * q;
    for (; misses > 0 && term > 1; --misses) term *= 1 - q;
  }
  for (; misses > 0; --misses) term *= 1 - q;
  double tail = 0;
  for (std::size_t i = worst; i <= steps; ++i) {
    tail += term;
    term *= static_cast<double>(steps - i) / static_cast<double>(i + 1) * q / (1 - q);
  }
  return std::min(1.0, static_cast<double>(ranks) * tail);
}

std::vector<Straggler> find_stragglers(const BlameBySteps& blame, std::span<const std::optional<TimePs>> gain_if_typical, TimePs span) {
  const std::size_t steps = blame.steps(), ranks = blame.ranks();
  std::vector<Straggler> stragglers(ranks);
  if (steps == 0 || ranks < 2) return stragglers;
  for (std::size_t k = 0; k < steps; ++k) {
    if (const auto worst = blame.worst(k)) ++stragglers[*worst].worst_in_steps;
  }
  const double bound = outlier_bound(blame.all());
  const double mentioned = kWorthMentioning * static_cast<double>(span) / static_cast<double>(steps) * static_cast<double>(ranks - 1);
  const bool too_few = too_few_steps(steps, ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    Straggler& straggler = stragglers[r];
    straggler.p = chance_of_worst(steps, ranks, straggler.worst_in_steps);
    for (std::size_t k = 0; k < steps; ++k) {
      const auto caused = static_cast<double>(blame.at(k, r));
      if (caused > bound && caused > mentioned) straggler.outlier_steps.push_back(static_cast<std::uint32_t>(k));
    }
    const bool is_worth_fixing =
        gain_if_typical[r].has_value() && static_cast<double>(*gain_if_typical[r]) >= kWorthFixing * static_cast<double>(span);
    straggler.pattern = pattern_of(straggler, steps, too_few, is_worth_fixing);
  }
  return stragglers;
}

}  // namespace orrery::analyze
