#include "analyze/job_path.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "link/part_edges.h"

namespace orrery::analyze {
namespace {

using link::JobGraph;
using link::JobOperation;
using link::kNoRank;

/// One group per rank, kind and name; of transfers per name.
GroupedEdges group_edges(const JobGraph& job) {
  GroupedEdges result;
  std::map<std::tuple<std::uint32_t, link::EdgeKind, StringId>, std::uint32_t> numbers;
  result.of_slot.resize_uninitialized(job.graph.edge_count());
  result.is_part.resize_uninitialized(job.graph.edge_count());
  for (graph::Position position = 0; position < job.graph.node_count(); ++position) {
    const std::uint32_t target_rank = job.node_rank[job.graph.node_at(position)];
    for (const graph::Slot slot : job.graph.incoming_at(position)) {
      const link::PieceClass piece = job.class_of(slot);
      const std::uint32_t rank = job.is_transfer(slot) ? kNoRank : target_rank;
      const auto [at, is_new] = numbers.emplace(std::tuple(rank, piece.kind, piece.name), static_cast<std::uint32_t>(result.groups.size()));
      if (is_new) result.groups.push_back({.kind = piece.kind, .name = piece.name, .rank = rank});
      result.of_slot[slot] = at->second;
      result.is_part[slot] = link::is_part(job, slot);
    }
  }
  return result;
}

void share_out(const JobGraph& job, JobPath& path) {
  path.ranks.assign(job.ranks.size(), 0);
  std::map<std::pair<StringId, StringId>, TimePs> transfers;
  std::uint32_t on_rank = kNoRank;  // where the path is, going forward
  const graph::Path& nodes = path.sums.path;
  for (std::size_t i = 0; i < nodes.slots.size(); ++i) {
    const graph::Slot slot = nodes.slots[i];
    const graph::NodeId from = nodes.nodes[i], to = nodes.nodes[i + 1];
    const std::uint32_t rank = job.node_rank[to];
    if (job.is_transfer(slot)) {
      const JobOperation& operation = job.operations[job.parts[job.part_of(from)].operation];
      transfers[{operation.what, operation.group}] += path.sums.solution.weight(slot);
    } else if (rank != kNoRank) {
      path.ranks[rank] += path.sums.solution.weight(slot);
    }
    if (rank == kNoRank) continue;
    if (on_rank != kNoRank && rank != on_rank)
      path.hops.push_back({path.sums.solution.finish(to), on_rank, rank, job.parts[job.part_of(to)].operation});
    on_rank = rank;
  }
  for (const auto& [key, time] : transfers) path.transfers.push_back({key.first, key.second, time});
  std::stable_sort(path.transfers.begin(), path.transfers.end(), [&](const TransferShare& a, const TransferShare& b) {
    const auto texts = [&](const TransferShare& share) { return std::pair(job.strings.text(share.what), job.strings.text(share.group)); };
    return a.on_path != b.on_path ? a.on_path > b.on_path : texts(a) < texts(b);
  });
}

}  // namespace

JobPath take_path(const JobGraph& job, graph::Solution solution, std::size_t top, bool with_gains) {
  JobPath path{sum_path(std::move(solution), job.end, group_edges(job), top, with_gains), {}, {}, {}};
  path.sums.device_type = job.reach.device_type();
  share_out(job, path);
  return path;
}

}  // namespace orrery::analyze
