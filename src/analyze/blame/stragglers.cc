#include "analyze/blame/stragglers.h"

#include <algorithm>
#include <functional>

#include "base/statistics.h"

// The distribution of a rank's score under the hypothesis that all ranks are alike is computed exactly, block by block;
// exceptions are held against a binomial distribution. Chances are corrected for having looked at all ranks, and a rank
// is named only if mending it would save something.

namespace orrery::analyze {
namespace {

constexpr double kWorthMentioning = 0.01;  // of a step, by which each of the others waits
// Five standard deviations: the median deviation, scaled to one (base/statistics.h), where values are normal.
constexpr double kOutlierDeviations = 5 * kDeviationOverMad;
constexpr double kExceptionsCount = 10;  // times: they get a tenth of the level
constexpr std::size_t kMostBlocks =
    64;  // enough for any straggler, and few enough that successive ones have little in common

/// Above this a step of a rank stands out from all steps of all ranks.
double outlier_bound(std::span<const TimePs> blame) {
  std::vector<TimePs> values(blame.begin(), blame.end());
  const TimePs median = lower_median(values);
  // The median of absolute deviations, which a few outliers do not move.
  for (TimePs& value : values) value = value > median ? value - median : median - value;
  return static_cast<double>(median) + kOutlierDeviations * static_cast<double>(lower_median(values));
}

/// Blame of a block of steps: its rows are the sums of those.
BlameBySteps in_blocks(const BlameBySteps& blame) {
  // As many steps in each block as it takes, and no more blocks than the limit.
  const std::size_t length = (blame.steps() + kMostBlocks - 1) / kMostBlocks;
  BlameBySteps blocks((blame.steps() + length - 1) / length, blame.ranks());
  for (std::size_t k = 0; k < blame.steps(); ++k) {
    for (std::size_t r = 0; r < blame.ranks(); ++r) blocks.at(k / length, r) += blame.at(k, r);
  }
  return blocks;
}

/// Who scores in a block: the rank with most blame 2, the next 1, if it has any.
struct Scorers {
  std::optional<std::size_t> first = {}, second = {};
};

Scorers scorers_of(std::span<const TimePs> row) {
  Scorers scorers;
  for (std::size_t r = 0; r < row.size(); ++r) {
    // Who made nobody wait scores nothing.
    if (row[r] <= 0) continue;
    // Of equal ranks the first scores, as everywhere where the worst is named.
    if (!scorers.first || row[r] > row[*scorers.first]) scorers = {r, scorers.first};
    else if (!scorers.second || row[r] > row[*scorers.second]) scorers.second = r;
  }
  return scorers;
}

/// Adds a block to the distribution of one rank's score, were all ranks alike: every place in the order of the block is
/// as likely.
void add_block(const Scorers& scorers, double ranks, std::vector<double>& chance_of_score) {
  // Where nobody was late, or only one rank, fewer points were given.
  const double two = scorers.first ? 1 / ranks : 0, one = scorers.second ? 1 / ranks : 0, none = 1 - two - one;
  chance_of_score.resize(chance_of_score.size() + 2, 0);
  // From the largest score down, so that the row can be changed in place.
  for (std::size_t score = chance_of_score.size(); score-- > 0;) {
    double chance = chance_of_score[score] * none;
    if (score >= 1) chance += chance_of_score[score - 1] * one;
    if (score >= 2) chance += chance_of_score[score - 2] * two;
    chance_of_score[score] = chance;
  }
}

/// Of how many of the largest exceptions the chance is asked: 1, 2, 3, 4, 6, 8, 12, ..., and all.
std::vector<std::size_t> tries_of(std::size_t exceptions) {
  std::vector<std::size_t> tries;
  for (std::size_t power = 1; power < exceptions; power *= 2) {
    tries.push_back(power);
    if (power >= 2 && power + power / 2 < exceptions) tries.push_back(power + power / 2);
  }
  tries.push_back(exceptions);
  return tries;
}

/// The chance that some rank has steps as large as this one's exceptions, had it the mean of the others.
double chance_of_exceptions(const BlameBySteps& blame, std::size_t rank, std::span<const std::uint32_t> exceptions) {
  if (exceptions.empty()) return 1;
  double others = 0;
  for (std::size_t k = 0; k < blame.steps(); ++k) {
    for (std::size_t r = 0; r < blame.ranks(); ++r) others += r == rank ? 0 : static_cast<double>(blame.at(k, r));
  }
  const double mean = others / static_cast<double>(blame.steps() * (blame.ranks() - 1));
  std::vector<double> largest;
  for (const std::uint32_t k : exceptions) largest.push_back(static_cast<double>(blame.at(k, rank)));
  std::sort(largest.begin(), largest.end(), std::greater<>());
  const std::vector<std::size_t> tries = tries_of(largest.size());
  double least = 1;
  for (const std::size_t j : tries)
    // Markov's inequality: the chance of a value that large, with the mean that the others have.
    least = std::min(least, binomial_tail(blame.steps(), std::min(1.0, mean / largest[j - 1]), j));
  // Bonferroni: over the ranks, the tries, and the share of the level that exceptions get.
  return std::min(1.0, kExceptionsCount * static_cast<double>(blame.ranks() * tries.size()) * least);
}

}  // namespace

const char* to_string(Pattern pattern) {
  static constexpr const char* kNames[] = {"none", "undecided", "persistent", "intermittent"};
  return kNames[static_cast<std::size_t>(pattern)];
}

std::optional<std::uint32_t> BlameBySteps::worst(std::size_t step) const {
  const auto row = this->row(step);
  const auto most = std::max_element(row.begin(), row.end());
  if (most == row.end() || *most == 0) return std::nullopt;
  return static_cast<std::uint32_t>(most - row.begin());
}

// P^(1-S): the chance that the rank which is the worst of the first step is that of all.
bool too_few_steps(std::size_t steps, std::size_t ranks) {
  double chance = 1;
  // Counted down to the level only: beyond it the answer is known.
  for (std::size_t s = 1; s < steps && chance >= kUnlikely; ++s) chance /= static_cast<double>(ranks);
  return chance >= kUnlikely;
}

double binomial_tail(std::size_t steps, double each, std::size_t least) {
  // Below the mean the first terms may be too small for a number, and the tail is no small chance anyway.
  if (static_cast<double>(least) <= static_cast<double>(steps) * each) return 1;
  if (each <= 0) return 0;
  // The term of exactly `least`. Factors above and below 1 take turns, so that neither overflow nor underflow comes in
  // between; plain products, since library functions differ from machine to machine.
  double term = 1;
  std::size_t misses = steps - least;
  for (std::size_t i = 1; i <= least; ++i) {
    term *= static_cast<double>(steps - least + i) / static_cast<double>(i) * each;
    for (; misses > 0 && term > 1; --misses) term *= 1 - each;
  }
  for (; misses > 0; --misses) term *= 1 - each;
  double tail = 0;
  for (std::size_t i = least; i <= steps; ++i) {
    tail += term;
    term *= static_cast<double>(steps - i) / static_cast<double>(i + 1) * each / (1 - each);
  }
  return std::min(1.0, tail);
}

double chance_of_worst(std::size_t steps, std::size_t ranks, std::size_t worst) {
  if (worst == 0 || ranks < 2) return 1;
  // Bonferroni over the ranks: any of them could have been the worst.
  return std::min(1.0, static_cast<double>(ranks) * binomial_tail(steps, 1 / static_cast<double>(ranks), worst));
}

std::vector<double> chances_of_lateness(const BlameBySteps& blame) {
  const BlameBySteps blocks = in_blocks(blame);
  const auto ranks = static_cast<double>(blame.ranks());
  std::vector<double> chance_of_score = {1};
  std::vector<std::size_t> scores(blame.ranks(), 0);
  for (std::size_t k = 0; k < blocks.steps(); ++k) {
    const Scorers scorers = scorers_of(blocks.row(k));
    add_block(scorers, ranks, chance_of_score);
    if (scorers.first) scores[*scorers.first] += 2;
    if (scorers.second) scores[*scorers.second] += 1;
  }
  // From the largest score down: small chances are added before large ones.
  std::vector<double> chance_of_least(chance_of_score);
  for (std::size_t score = chance_of_least.size() - 1; score-- > 0;)
    chance_of_least[score] += chance_of_least[score + 1];
  std::vector<double> chances;
  chances.reserve(scores.size());
  for (const std::size_t score : scores)
    chances.push_back(score == 0 ? 1 : std::min(1.0, ranks * chance_of_least[score]));
  return chances;
}

std::vector<Straggler> find_stragglers(const BlameBySteps& blame,
                                       std::span<const std::optional<TimePs>> gain_if_typical, TimePs span) {
  const std::size_t steps = blame.steps(), ranks = blame.ranks();
  std::vector<Straggler> stragglers(ranks);
  if (steps == 0 || ranks < 2) return stragglers;
  for (std::size_t k = 0; k < steps; ++k) {
    if (const auto worst = blame.worst(k)) ++stragglers[*worst].worst_in_steps;
  }
  const double bound = outlier_bound(blame.all());
  // Of a step of average length, and of all other ranks together, since blame adds up what each of them waited.
  const double mentioned =
      kWorthMentioning * static_cast<double>(span) / static_cast<double>(steps) * static_cast<double>(ranks - 1);
  const bool too_few = too_few_steps(steps, ranks);
  const std::vector<double> lateness = chances_of_lateness(blame);
  for (std::size_t r = 0; r < ranks; ++r) {
    Straggler& straggler = stragglers[r];
    for (std::size_t k = 0; k < steps; ++k) {
      // Both: beyond what is usual, and long enough that somebody would care.
      const auto caused = static_cast<double>(blame.at(k, r));
      if (caused > bound && caused > mentioned) straggler.outlier_steps.push_back(static_cast<std::uint32_t>(k));
    }
    straggler.p = chance_of_worst(steps, ranks, straggler.worst_in_steps);
    straggler.p_late = lateness[r];
    if (too_few) {
      if (straggler.worst_in_steps == steps) straggler.pattern = Pattern::undecided;
      continue;
    }
    straggler.p_exceptions = chance_of_exceptions(blame, r, straggler.outlier_steps);
    const auto gain = static_cast<double>(gain_if_typical[r].value_or(0));
    // Unlikely to be chance, and worth something if it were mended.
    if (straggler.chance() > kUnlikely || gain <= 0 || gain < kWorthFixing * static_cast<double>(span)) continue;
    straggler.pattern = straggler.p_late <= kUnlikely ? Pattern::persistent : Pattern::intermittent;
  }
  return stragglers;
}

}  // namespace orrery::analyze
