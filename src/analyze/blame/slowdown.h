// How much longer the job takes than one of typical ranks, and which rank's fault that is; see ideal_job.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "causal/causal_graph.h"

namespace orrery::analyze {

/// What one rank's being as it is costs.
struct RankSlowdown {
  double slowdown = 1;         ///< the job with all ranks ideal but this one, over the ideal job
  TimePs gain_if_typical = 0;  ///< what the job would save if only this rank were typical
};

struct Slowdown {
  TimePs measured = 0;
  TimePs ideal = 0;                ///< all ranks typical
  TimePs ideal_communication = 0;  ///< ranks as measured, every transfer at the median of its like
  TimePs ideal_both = 0;
  TimePs remaining_wait = 0;                       ///< of all ranks, in the ideal job: bubbles, not stragglers
  std::vector<std::optional<RankSlowdown>> ranks;  ///< by place; none of ranks that were not asked about

  [[nodiscard]] double factor() const { return over(ideal); }
  [[nodiscard]] double communication() const { return over(ideal_communication); }
  [[nodiscard]] double both() const { return over(ideal_both); }

 private:
  [[nodiscard]] double over(TimePs length) const { return length == 0 ? 1 : static_cast<double>(measured) / static_cast<double>(length); }
};

/// Two solves for each of `places` in CausalGraph::ranks, eight at once, and five more. `measured`: the job's length.
Slowdown measure_slowdown(const causal::CausalGraph& job, TimePs measured, std::span<const std::uint32_t> places);

}  // namespace orrery::analyze
