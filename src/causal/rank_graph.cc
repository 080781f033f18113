#include "causal/rank_graph.h"

#include <cmath>

namespace orrery::causal {

double RankGraph::residual_percent(TimePs replayed) const {
  return 100.0 * std::fabs(static_cast<double>(replayed - window.span())) / static_cast<double>(window.span());
}

}  // namespace orrery::causal
