#include "simulate/pricing/fabrics.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace orrery::simulate {

std::vector<std::uint32_t> fabrics_of(const Recording& recording, const machine::Network& network) {
  std::vector<std::uint32_t> of_set;
  for (const std::vector<std::uint32_t>& ranks : recording.rank_sets) {
    std::size_t outermost = 0;
    for (const std::uint32_t rank : ranks) outermost = std::max(outermost, network.outermost_dimension(ranks[0], rank));
    of_set.push_back(static_cast<std::uint32_t>(outermost));
  }
  std::vector<std::uint32_t> fabrics;
  for (const RecordedOp& op : recording.ops) fabrics.push_back(of_set[op.rank_set]);
  return fabrics;
}

Result<std::vector<machine::LinkId>> links_of_several_fabrics(const Recording& recording, std::span<const std::uint32_t> fabric_of,
                                                              Lowering& lowering) {
  constexpr std::uint32_t kNoFabric = ~std::uint32_t{0}, kSeveralFabrics = kNoFabric - 1;
  std::vector<std::uint32_t> fabric_of_link(lowering.network().links().size(), kNoFabric);
  std::set<std::tuple<CommOp::Kind, workload::Collective, std::uint32_t, std::uint64_t, std::int64_t>> looked_at;
  for (std::size_t i = 0; i < recording.ops.size(); ++i) {
    const RecordedOp& op = recording.ops[i];
    const bool message = op.kind == CommOp::Kind::message;
    if (!looked_at.emplace(op.kind, op.collective, op.rank_set, message ? 0 : op.flow, message ? 0 : op.bytes).second) continue;
    const auto plan = lowering.plan(recording.op(i));
    if (!plan) return plan.error();
    for (const PlanPhase& phase : (*plan)->phases) {
      for (const LinkShare& share : phase.shares) {
        std::uint32_t& fabric = fabric_of_link[share.link];
        if (fabric == kNoFabric) fabric = fabric_of[i];
        else if (fabric != fabric_of[i]) fabric = kSeveralFabrics;
      }
    }
  }
  std::vector<machine::LinkId> shared;
  for (machine::LinkId link = 0; link < fabric_of_link.size(); ++link) {
    if (fabric_of_link[link] == kSeveralFabrics) shared.push_back(link);
  }
  return shared;
}

}  // namespace orrery::simulate
