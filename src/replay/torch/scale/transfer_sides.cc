#include "replay/torch/scale/transfer_sides.h"

namespace orrery::replay::torch {

std::uint32_t group_of_call(const RankSource& source, std::uint32_t row) {
  const auto hint = source.hints.find(row);
  return hint == source.hints.end() ? 0 : hint->second.group;
}

std::vector<TransferSide> transfer_sides(const RankSource& source, const ChosenCalls& chosen,
                                         const std::vector<TransferEdit>& edits) {
  std::vector<TransferSide> sides;
  for (const auto [row, is_end] : source.order.visits) {
    const std::uint32_t number = chosen.collective[row];
    if (is_end || number == kNoNumber32) continue;
    const CollectiveCall& call = chosen.collectives[number];
    TransferSide& side = sides.emplace_back();
    side.kind = call.kind;
    side.group = group_of_call(source, row);
    side.edit = edits[number];
    if (!call.peer) continue;
    // Peers are recorded by their place in the group.
    const std::vector<std::int64_t>& members = source.groups[side.group];
    const bool is_known = *call.peer >= 0 && *call.peer < static_cast<std::int64_t>(members.size());
    const std::int64_t peer = is_known ? members[static_cast<std::size_t>(*call.peer)] : *call.peer;
    side.sender = call.kind == "send" ? source.rank : peer;
    side.receiver = call.kind == "send" ? peer : source.rank;
    side.tag = call.tag.value_or(0);
  }
  return sides;
}

}  // namespace orrery::replay::torch
