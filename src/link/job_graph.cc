#include "link/job_graph.h"

#include <algorithm>
#include <cmath>

namespace orrery::link {

const char* to_string(ClockSource source) {
  static constexpr const char* kNames[] = {"one", "aligned", "recorded"};
  return kNames[static_cast<std::size_t>(source)];
}

PieceClass JobGraph::class_of(graph::Slot slot) const {
  const EdgeKind edge_kind = kind(slot);
  const std::uint32_t tag = graph.edge_tag(slot);
  return {edge_kind, tag == graph::kNoTag || !is_named(edge_kind) ? 0 : class_name[tag]};
}

WorkClass JobGraph::work_of(graph::Slot slot, std::uint32_t rank) const {
  const std::uint32_t tag = graph.edge_tag(slot);
  const bool has_owner = tag != graph::kNoTag;
  return {graph.type(slot), has_owner ? owners[tag].name : 0, has_owner ? class_name[tag] : 0, step_of(slot, rank)};
}

std::uint32_t JobGraph::step_at(TimePs at, std::uint32_t rank) const {
  const std::vector<TimePs>& begins = ranks[rank].step_begin;
  if (begins.empty()) return kNoStep;
  const auto next = std::upper_bound(begins.begin(), begins.end(), at);
  return next == begins.begin() ? 0 : static_cast<std::uint32_t>(next - begins.begin() - 1);
}

std::uint32_t JobGraph::step_of(graph::Slot slot, std::uint32_t rank) const {
  const std::uint32_t tag = graph.edge_tag(slot);
  if (tag != graph::kNoTag && owners[tag].device >= 0) return step_at(owners[tag].launch_start, rank);
  const graph::NodeId source = graph.source(slot);
  return step_at(is_ready(source) ? time[parts[part_of(source)].arrival] : time[source], rank);
}

double JobGraph::residual_percent(TimePs replayed) const {
  return 100.0 * std::fabs(static_cast<double>(replayed - span)) / static_cast<double>(std::max<TimePs>(span, 1));
}

void find_transfers(JobGraph& job) {
  for (graph::Slot slot = 0; slot < job.graph.edge_count(); ++slot) {
    const graph::NodeId source = job.graph.source(slot);
    if (job.is_ready(source)) job.parts[job.part_of(source)].transfer = slot;
  }
}

std::vector<graph::Slot> arrivals_of_others(const JobGraph& job) {
  std::vector<graph::Slot> slots;
  for (graph::NodeId node = job.first_ready; node < job.first_hub; ++node) {
    for (const graph::Slot slot : job.graph.incoming(node)) {
      const graph::NodeId source = job.graph.source(slot);
      if (job.is_hub(source) || job.node_rank[source] != job.node_rank[node]) slots.push_back(slot);
    }
  }
  std::sort(slots.begin(), slots.end());
  return slots;
}

}  // namespace orrery::link
