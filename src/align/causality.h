// Happens-before: what the traces say must not contradict what a collective is.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "align/collectives.h"

namespace orrery::align {

/// `later` ended before `earlier` had started, although it had to wait for it.
struct Violation {
  std::uint32_t collective = 0;
  std::uint32_t earlier_node = 0;
  std::uint32_t later_node = 0;
  TimePs by_ps = 0;
};

struct CausalityReport {
  std::size_t checked = 0;            ///< collectives
  std::size_t violated = 0;           ///< of these, with at least one violation
  std::vector<Violation> violations;  ///< the worst of each violated collective, largest first
};

/// `time(part, reading)` is a reading of a participant on the common clock; for times as recorded return the reading.
CausalityReport check_causality(const MatchedCollectives& collectives, const std::function<TimePs(const Participation&, TimePs)>& time);

}  // namespace orrery::align
