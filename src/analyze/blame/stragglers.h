// Whether a rank is a straggler, or merely the one that was late this time.
//
// Some rank is the worst of every step, in jobs whose ranks are alike too. Two questions are asked of every rank, and
// both answers count the chance:
//
// *Is it late step after step?* In every block of steps the rank with most blame scores 2, the next 1, the others and
// who has none 0. Were all ranks alike, each order of them would be as likely, whatever the blame is distributed like:
// so the chance of a sum of scores over all blocks is exact, a convolution (a permutation test within blocks). Times
// the number of ranks (Bonferroni) it is the chance that some rank is late so often. Successive steps are not
// independent (a disturbance outlasts a step): of more than 64 steps, as many successive ones as make at most 64 blocks
// count as one.
//
// *Are some of its steps exceptions?* Steps whose blame stands out from all steps of all ranks (five deviations, by
// medians) and costs each other rank more than 1 % of a step are counted. A rank like the others has a step of x or
// more with a chance of at most mean/x (Markov), the mean being that of the others: nothing else is asked of the tail.
// So j such steps of S have the binomial tail of that chance; j is tried at 1, 2, 3, 4, 6, 8, 12, ..., and the smallest
// tail counts times the number of tries, times the ranks, times ten: exceptions get a tenth of the level.
//
// Of jobs whose ranks are alike at most 1.1 % have a rank for which one of the two chances is 0.01 or less: such a rank
// is named if it is worth it, that is if the job would be 0.5 % shorter, were it typical; persistent by the first
// question, else intermittent by the second. Too few steps decide nothing, and that is said.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/diagnostics.h"
#include "base/units.h"

namespace orrery::analyze {

inline constexpr DiagnosticKind kTooFewSteps{
    "J808", Severity::note, "too few steps to tell a straggler from chance",
    "record more steps: eight of two ranks, four of eight, three of sixteen are enough"};

enum class Pattern : std::uint8_t {
  none,
  undecided,     ///< the worst of every step, of too few
  persistent,    ///< late more often than chance allows, and worth fixing
  intermittent,  ///< some of its steps stand out more than chance allows, and are worth fixing
};
const char* to_string(Pattern pattern);

struct Straggler {
  Pattern pattern = Pattern::none;
  std::uint32_t worst_in_steps = 0;
  double p = 1;             ///< the chance that some rank is the worst of so many steps, were all alike
  double p_late = 1;        ///< that some rank is late so often: the first question
  double p_exceptions = 1;  ///< that some rank has such exceptions: the second
  std::vector<std::uint32_t> outlier_steps;

  /// What the level is held against.
  [[nodiscard]] double chance() const { return p_late < p_exceptions ? p_late : p_exceptions; }
};

/// The level of the test.
inline constexpr double kUnlikely = 0.01;
/// Of the job: what a straggler must be worth.
inline constexpr double kWorthFixing = 0.005;

/// Root blame by step and rank: of waits in operations that the waiter launched in the step.
class BlameBySteps {
 public:
  BlameBySteps(std::size_t steps, std::size_t ranks) : ranks_(ranks), blame_(steps * ranks, 0) {}

  [[nodiscard]] std::size_t steps() const { return ranks_ == 0 ? 0 : blame_.size() / ranks_; }
  [[nodiscard]] std::size_t ranks() const { return ranks_; }
  TimePs& at(std::size_t step, std::size_t rank) { return blame_[step * ranks_ + rank]; }
  [[nodiscard]] TimePs at(std::size_t step, std::size_t rank) const { return blame_[step * ranks_ + rank]; }
  [[nodiscard]] std::span<const TimePs> all() const { return blame_; }
  [[nodiscard]] std::span<const TimePs> row(std::size_t step) const { return all().subspan(step * ranks_, ranks_); }
  /// The rank with most blame, the lowest of equals; none if nobody waited.
  [[nodiscard]] std::optional<std::uint32_t> worst(std::size_t step) const;

 private:
  std::size_t ranks_;
  std::vector<TimePs> blame_;
};

/// Whether so many steps and ranks are too few to tell anything.
bool too_few_steps(std::size_t steps, std::size_t ranks);

/// By rank: the chance that some rank is late so often, were all alike; at most 1.
std::vector<double> chances_of_lateness(const BlameBySteps& blame);

/// P times the chance of X or more of S fair draws among P; at most 1; 1 if X is 0.
double chance_of_worst(std::size_t steps, std::size_t ranks, std::size_t worst);

/// The chance of `least` or more of `steps`, each with the chance `each`; 1 if that is not more than the mean.
double binomial_tail(std::size_t steps, double each, std::size_t least);

/// By rank. `gain_if_typical`: by rank, none where it was not asked: such a rank is never named. `span`: of the job.
std::vector<Straggler> find_stragglers(const BlameBySteps& blame,
                                       std::span<const std::optional<TimePs>> gain_if_typical, TimePs span);

}  // namespace orrery::analyze
