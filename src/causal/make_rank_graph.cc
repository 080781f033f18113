// What a rank's graph is made from: its recording says what depends on what, or that is found.
#include "causal/given/given_rank_graph.h"
#include "causal/recorded_rank_graph.h"

namespace orrery::causal {

Result<RankGraph> make_rank_graph(const trace::Trace& trace, const trace::RankTrace& rank, const WindowRequest& request,
                                  Diagnostics& diagnostics) {
  const trace::ContentOrder content(trace, rank);
  const DeviceTimeline timeline = make_device_timeline(trace, rank, content, diagnostics);
  const Result<StepWindow> window = choose_window(trace, rank, timeline, content, request);
  if (!window) return window.error();
  return make_rank_graph(trace, rank, timeline, content, *window, diagnostics);
}

Result<RankGraph> make_rank_graph(const trace::Trace& trace, const trace::RankTrace& rank,
                                  const DeviceTimeline& timeline, const trace::ContentOrder& content,
                                  const StepWindow& window, Diagnostics& diagnostics) {
  const RankSource source{trace, rank, timeline, content};
  return has_given_dependencies(rank) ? make_given_rank_graph(source, window)
                                      : make_recorded_rank_graph(source, window, diagnostics);
}

}  // namespace orrery::causal
