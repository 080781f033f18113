#include "align/causality.h"

#include <algorithm>

namespace orrery::align {

CausalityReport check_causality(const MatchedCollectives& collectives, const std::function<TimePs(const Participation&, TimePs)>& time) {
  CausalityReport report;
  for (std::uint32_t c = 0; c < collectives.collectives.size(); ++c) {
    const MatchedCollective& collective = collectives.collectives[c];
    if (collective.ordering != Ordering::everybody_waits) continue;  // who the root or the neighbour is, is not recorded
    ++report.checked;
    const Participation* const parts = collectives.parts.data() + collective.first;
    // The last to start against the first to end is the worst pair; of equals the lower node.
    const Participation* last_start = parts;
    const Participation* first_end = parts;
    for (std::uint32_t i = 1; i < collective.count; ++i) {
      if (time(parts[i], parts[i].start_ps) > time(*last_start, last_start->start_ps)) last_start = &parts[i];
      if (time(parts[i], parts[i].end_ps) < time(*first_end, first_end->end_ps)) first_end = &parts[i];
    }
    const TimePs by = time(*last_start, last_start->start_ps) - time(*first_end, first_end->end_ps);
    if (by <= 0) continue;
    ++report.violated;
    report.violations.push_back({c, last_start->node, first_end->node, by});
  }
  std::sort(report.violations.begin(), report.violations.end(),
            [](const Violation& a, const Violation& b) { return a.by_ps != b.by_ps ? a.by_ps > b.by_ps : a.collective < b.collective; });
  return report;
}

}  // namespace orrery::align
