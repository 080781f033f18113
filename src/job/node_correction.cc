#include "job/node_correction.h"

#include <algorithm>

#include "base/statistics.h"

namespace orrery::job {
namespace {

/// Extremes are of all events, medians of a sample: there may be more events than there is memory for another two
/// columns.
NodeCorrection correction_of(const trace::RankTrace& rank, const align::NodeAlignment& node) {
  constexpr std::size_t kSample = 1u << 20;
  NodeCorrection correction;
  std::vector<TimePs> shifts, bands;
  const std::size_t stride = rank.event_count() / kSample + 1;
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    const trace::Clock& clock = node.clock(rank.lanes[rank.lane[e]].clock);
    const TimePs start = rank.start[e], shift = clock.map(start) - start, band = clock.uncertainty(start);
    if (e % stride == 0) {
      shifts.push_back(shift);
      bands.push_back(band);
    }
    correction.least_ps = e == 0 ? shift : std::min(correction.least_ps, shift);
    correction.most_ps = e == 0 ? shift : std::max(correction.most_ps, shift);
    correction.most_uncertainty_ps = std::max(correction.most_uncertainty_ps, band);
    if (node.observations == 0 || rank.lanes[rank.lane[e]].clock != 0) continue;
    if (start < node.first_observed_ps) ++correction.before_first;
    if (start > node.last_observed_ps) ++correction.after_last;
  }
  correction.events = rank.event_count();
  correction.median_ps = lower_median(shifts);
  correction.median_uncertainty_ps = lower_median(bands);
  return correction;
}

}  // namespace

std::vector<NodeCorrection> describe_corrections(const trace::Trace& trace, const align::Alignment& alignment) {
  std::vector<NodeCorrection> corrections;
  for (std::size_t i = 0; i < trace.ranks.size(); ++i)
    corrections.push_back(correction_of(trace.ranks[i], alignment.nodes[i]));
  return corrections;
}

}  // namespace orrery::job
