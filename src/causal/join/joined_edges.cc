#include "causal/join/joined_edges.h"

namespace orrery::causal {

using graph::NodeId;

JoinedEdges::JoinedEdges(CausalGraph& job, std::span<const RankGraph> ranks, const JoinedParts& joined, bool cut_at_end)
    : job_(job),
      ranks_(ranks),
      joined_(joined),
      cut_at_end_(cut_at_end),
      chains_(chain_arrivals(job.operations, job.parts, joined.moments, joined.needs.everybody, cut_at_end)) {
  job_.first_ready = 0;
  for (const RankGraph& rank : ranks_) job_.first_ready += rank.graph.node_count();
  job_.first_hub = job_.first_ready + static_cast<NodeId>(job_.parts.size());
  job_.begin = chain_hub(static_cast<std::uint32_t>(chains_.hubs.size()));
  job_.end = job_.begin + 1;
  set_moments();
}

void JoinedEdges::set_moments() {
  // What another try left behind the moments of the ranks goes.
  job_.time.resize(job_.first_ready);
  job_.node_rank.resize(job_.first_ready);
  job_.node_lane.resize(job_.first_ready);
  job_.time.reserve(job_.end + 1);
  job_.node_rank.reserve(job_.end + 1);
  job_.node_lane.reserve(job_.end + 1);
  const auto add_node = [&](TimePs time, std::uint32_t rank, std::uint32_t lane) {
    job_.time.push_back(time);
    job_.node_rank.push_back(rank);
    job_.node_lane.push_back(lane);
  };
  hub_used_.assign(job_.operations.size(), 0);
  for (const JobOperation& operation : job_.operations) {
    TimePs latest = joined_.moments[operation.first].served();
    for (std::uint32_t p = operation.first; p < operation.first + operation.count; ++p)
      latest = std::max(latest, joined_.moments[p].served());
    hub_time_.push_back(latest);
  }
  job_.cut = 0;
  for (std::uint32_t p = 0; p < job_.parts.size(); ++p) {
    const JobPart& part = job_.parts[p];
    TimePs ready = joined_.moments[p].arrival;
    job_.cut += for_each_awaited(p, [&](NodeId node, TimePs moment) {
      ready = std::max(ready, moment);
      if (node == job_.first_hub + part.operation) hub_used_[part.operation] = 1;
    });
    add_node(ready, part.rank, job_.node_lane[part.arrival]);
  }
  for (const TimePs latest : hub_time_) add_node(latest, kNoRank, kNoWork);
  for (const ArrivalHub& hub : chains_.hubs)
    add_node(joined_.moments[chains_.arrivals[hub.end - 1]].served(), kNoRank, kNoWork);
  add_node(0, kNoRank, kNoWork);
  add_node(job_.span, kNoRank, kNoWork);
}

// A call that completes several communications, or one that began before: it could go on when the last of them was
// ready. The others weigh no more than what was left then, and so does the call itself.
TimePs JoinedEdges::last_released(std::span<const std::uint32_t> parts, TimePs entered) const {
  for (const std::uint32_t p : parts) entered = std::max(entered, job_.time[job_.ready(p)]);
  return entered;
}

}  // namespace orrery::causal
