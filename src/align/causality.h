// Happens-before: what the traces say must not contradict what a collective or a message is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/parallel.h"
#include "match/causal_order.h"
#include "match/exchange.h"

namespace orrery::align {

using match::Exchange;
using match::Exchanges;
using match::Ordering;
using match::Participation;
using match::PartTimes;

/// `later` ended before `earlier` had started, although it had to wait for it.
struct Violation {
  std::uint32_t collective = 0;  ///< place in Exchanges::collectives
  std::uint32_t earlier_node = 0;
  std::uint32_t later_node = 0;
  TimePs by_ps = 0;
};

/// All violations between two nodes, in one direction.
struct PairViolations {
  std::uint32_t earlier_node = 0;
  std::uint32_t later_node = 0;
  std::uint64_t count = 0;
  TimePs largest_ps = 0;
};

struct CausalityReport {
  std::size_t checked = 0;   ///< collectives and messages whose rule is known: what waits for what
  std::size_t messages = 0;  ///< of these, messages
  std::size_t violated = 0;  ///< of `checked`, with at least one violation
  std::uint64_t early_ends =
      0;  ///< ends that came before something they had to wait for: each counts once, with the last such start
  std::vector<Violation> violations;  ///< the worst of each violated collective, largest first
  std::vector<PairViolations> pairs;  ///< the early ends by pair of nodes, largest first
  std::size_t root_unknown =
      0;  ///< not checked: nobody recorded who the root of the broadcast or reduce is, or it has no trace
  std::size_t peers_unknown = 0;  ///< not checked: who waits for whom is not recorded, or cannot be tied to nodes

  [[nodiscard]] TimePs largest_ps() const { return violations.empty() ? 0 : violations.front().by_ps; }
};

/// `times` on the clock to be judged: recorded_times() or mapped_times(). O(participations), and those violated sorted.
CausalityReport check_causality(const Exchanges& exchanges, const PartTimes& times);

/// Times by the clocks of nodes: `clock_of(node, domain)` is a const trace::Clock&.
template <typename ClockOf>
PartTimes mapped_times(const Exchanges& exchanges, ClockOf&& clock_of) {
  const std::size_t count = exchanges.parts.size();
  PartTimes times{Column<TimePs>(count), Column<TimePs>(count)};
  constexpr std::size_t kStretch = 1u << 16;
  parallel_for((count + kStretch - 1) / kStretch, [&](std::size_t stretch) {
    for (std::size_t i = stretch * kStretch; i < std::min(count, (stretch + 1) * kStretch); ++i) {
      const Participation& part = exchanges.parts[i];
      times.start[i] = clock_of(part.node, part.clock).map(part.start_ps);
      times.end[i] = clock_of(part.node, part.clock).map(part.end_ps);
    }
  });
  return times;
}

}  // namespace orrery::align
