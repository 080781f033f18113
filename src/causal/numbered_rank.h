// The last step of making a rank's graph, whatever its edges came from: moments become nodes, and the events that edges
// belong to owners.
#pragma once

#include "base/result.h"
#include "causal/device/device_timeline.h"
#include "causal/moments.h"
#include "causal/rank_graph.h"
#include "causal/step_window.h"
#include "trace/content_order.h"
#include "trace/trace.h"

namespace orrery::causal {

/// What a rank's graph is made from. All must stay.
struct RankSource {
  const trace::Trace& trace;
  const trace::RankTrace& rank;
  const DeviceTimeline& timeline;
  const trace::ContentOrder& content;
};

/// Takes all moments. Tags of edges are events of the rank; `begin` and `end` are moments. Typical delays are left
/// open.
Result<RankGraph> number_rank_graph(const RankSource& source, const StepWindow& window, Moments& moments,
                                    std::uint32_t begin, std::uint32_t end);

}  // namespace orrery::causal
