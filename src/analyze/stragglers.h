// Whether a rank is a straggler, or merely the one that was late this time.
//
// Some rank is the worst of every step. That it is the same one more often than chance would have it makes it persistent; that a few of its
// steps stand out from all others makes it intermittent. Too few steps decide nothing, and that is said.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/diagnostics.h"
#include "base/units.h"

namespace orrery::analyze {

inline constexpr DiagnosticKind kTooFewSteps{"J808", Severity::note, "too few steps to tell a straggler from chance",
                                             "record more steps: eight of two ranks, four of eight, three of sixteen are enough"};

enum class Pattern : std::uint8_t {
  none,
  undecided,     ///< the worst of every step, of too few
  persistent,    ///< the worst more often than chance allows, and worth fixing
  intermittent,  ///< some of its steps stand out
};
const char* to_string(Pattern pattern);

struct Straggler {
  Pattern pattern = Pattern::none;
  std::uint32_t worst_in_steps = 0;
  double p = 1;  ///< the chance that some rank is the worst that often, were all alike
  std::vector<std::uint32_t> outlier_steps;
};

/// Root blame by step and rank: of waits in operations that the waiter launched in the step.
class BlameBySteps {
 public:
  BlameBySteps(std::size_t steps, std::size_t ranks) : ranks_(ranks), blame_(steps * ranks, 0) {}

  [[nodiscard]] std::size_t steps() const { return ranks_ == 0 ? 0 : blame_.size() / ranks_; }
  [[nodiscard]] std::size_t ranks() const { return ranks_; }
  TimePs& at(std::size_t step, std::size_t rank) { return blame_[step * ranks_ + rank]; }
  [[nodiscard]] TimePs at(std::size_t step, std::size_t rank) const { return blame_[step * ranks_ + rank]; }
  [[nodiscard]] std::span<const TimePs> all() const { return blame_; }
  /// The rank with most blame, the lowest of equals; none if nobody waited.
  [[nodiscard]] std::optional<std::uint32_t> worst(std::size_t step) const;

 private:
  std::size_t ranks_;
  std::vector<TimePs> blame_;
};

/// Whether so many steps and ranks are too few to tell anything.
bool too_few_steps(std::size_t steps, std::size_t ranks);

/// P times the chance of X or more of S fair draws among P; at most 1; 1 if X is 0.
double chance_of_worst(std::size_t steps, std::size_t ranks, std::size_t worst);

/// By rank. `gain_if_typical`: by rank, none where it was not asked: such a rank is never persistent. `span`: of the job.
std::vector<Straggler> find_stragglers(const BlameBySteps& blame, std::span<const std::optional<TimePs>> gain_if_typical, TimePs span);

}  // namespace orrery::analyze
