#include "match/ruled_order.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace orrery::match {
namespace {

/// Of one operation on one node: places in RecordedCommunication::all by stream, each in order.
using WorksByLane = std::map<std::uint32_t, std::vector<std::size_t>>;

bool are_alike(const WorksByLane& a, const WorksByLane& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& one, const auto& other) { return one.second.size() == other.second.size(); });
}

}  // namespace

void number_ruled_works(const trace::Trace& trace, RecordedCommunication& found) {
  std::map<std::uint32_t, std::vector<WorksByLane>> by_operation;  // then a node each
  for (std::uint32_t node = 0; node < trace.ranks.size(); ++node) {
    const trace::RankTrace& rank = trace.ranks[node];
    std::map<std::uint32_t, WorksByLane> of_node;
    std::vector<std::uint32_t> place;  // of each lane, once something asks for it
    // They are in the order of what they are, and so in the order of their stream.
    for (std::size_t i = found.first_of_node[node]; i < found.first_of_node[node + 1]; ++i) {
      const CollectiveRecord& record = found.all[i];
      if (found.operations[record.operation].rule == trace::Rules::kNoRule) continue;
      if (place.empty()) {
        const trace::ContentOrder content(trace, rank);
        for (trace::LaneIndex lane = 0; lane < rank.lanes.size(); ++lane)
          place.push_back(static_cast<std::uint32_t>(content.place(lane)));
      }
      of_node[record.operation][place[rank.lane[record.event]]].push_back(i);
    }
    for (auto& [operation, works] : of_node) by_operation[operation].push_back(std::move(works));
  }
  for (const auto& [operation, nodes] : by_operation) {
    const WorksByLane& first = nodes.front();
    const bool alike =
        std::all_of(nodes.begin(), nodes.end(), [&](const WorksByLane& node) { return are_alike(node, first); });
    if (!alike) continue;
    for (const WorksByLane& node : nodes) {
      std::int64_t next = 0;
      for (const auto& [lane, works] : node) {
        for (const std::size_t i : works) found.all[i].sequence = next++;
      }
    }
  }
}

}  // namespace orrery::match
