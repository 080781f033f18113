// Why a simulation cannot go on: which node waits, for whom, and what that one does instead.
#include <fmt/format.h>

#include <numeric>

#include "simulate/astra/issuer.h"
#include "simulate/deadlock.h"

namespace orrery::simulate::astra {

using workload::ActivityKind;

// The lowest node that has started and not ended.
std::optional<std::uint32_t> Issuer::waiting_node(std::uint32_t rank) const {
  for (std::uint32_t node = 0; node < workload_.program(rank).size(); ++node) {
    if (start_ns(rank, node) >= 0 && end_ns(rank, node) < 0) return node;
  }
  return std::nullopt;
}

std::string Issuer::explain_collective(std::uint32_t rank, std::uint32_t node) const {
  const workload::Program& program = workload_.program(rank);
  const workload::CommGroup* const group = workload_.find_group(program.group_names[node]);
  const std::size_t members = group == nullptr ? workload_.rank_count() : group->ranks.size();
  for (std::size_t i = 0; i < members; ++i) {
    const auto other = group == nullptr ? static_cast<std::uint32_t>(i) : group->ranks[i];
    // Only simulated ranks can be asked what they do.
    if (other == rank || other >= ranks_.size()) continue;
    const std::optional<std::uint32_t> waiting = waiting_node(other);
    if (!waiting)
      return fmt::format("for rank {}, which {}", other,
                         finished(other) ? "has finished without joining" : "has nothing it can start");
    const workload::Program& others = workload_.program(other);
    const bool same = others.kinds[*waiting] == ActivityKind::collective &&
                      others.group_names[*waiting] == program.group_names[node] &&
                      others.collectives[*waiting] == program.collectives[node] &&
                      others.bytes[*waiting] == program.bytes[node];
    if (!same) return fmt::format("for rank {}, which is in {}", other, workload_.describe(other, *waiting));
    if (others.ids[*waiting] != program.ids[node]) {
      return fmt::format("for rank {}, which is in {}: ranks must start their collectives in the same order", other,
                         workload_.describe(other, *waiting));
    }
  }
  return "although every rank has joined: the calls do not fit together";
}

std::string Issuer::explain_message(std::uint32_t rank, std::uint32_t node) const {
  const workload::Program& program = workload_.program(rank);
  const bool sends = program.kinds[node] == ActivityKind::send;
  const auto peer = static_cast<std::uint32_t>(program.peers[node]);
  std::string text = fmt::format("for rank {} to {} {} bytes with tag {}", peer, sends ? "receive" : "send",
                                 program.bytes[node], program.tags[node]);
  if (peer >= ranks_.size()) return text;
  const workload::Program& peers = workload_.program(peer);
  for (std::uint32_t i = 0; i < peers.size(); ++i) {
    const bool fits = peers.kinds[i] == (sends ? ActivityKind::recv : ActivityKind::send) &&
                      static_cast<std::uint32_t>(peers.peers[i]) == rank && peers.tags[i] == program.tags[node];
    if (!fits) continue;
    if (peers.bytes[i] != program.bytes[node])
      return text + fmt::format(", but {} has {} bytes", workload_.describe(peer, i), peers.bytes[i]);
    // A message that is over was matched with another.
    if (end_ns(peer, i) >= 0) continue;
    const std::optional<std::uint32_t> waiting = waiting_node(peer);
    if (waiting && *waiting != i) return text + fmt::format(", but it waits in {}", workload_.describe(peer, *waiting));
    return text;
  }
  return text + ", which it never does";
}

Error Issuer::explain_deadlock() const {
  std::size_t stuck = 0;
  std::optional<std::uint32_t> first;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    if (finished(rank)) continue;
    ++stuck;
    if (!first) first = rank;
  }
  std::string reason = fmt::format("rank {} has no node that can start", *first);
  if (const std::optional<std::uint32_t> node = waiting_node(*first)) {
    const ActivityKind kind = workload_.program(*first).kinds[*node];
    reason = fmt::format(
        "{} waits {}", workload_.describe(*first, *node),
        kind == ActivityKind::collective ? explain_collective(*first, *node) : explain_message(*first, *node));
  }
  return deadlock(queue_.now() * kPsPerNs, ranks_.size() - stuck, ranks_.size(), "ranks", reason);
}

}  // namespace orrery::simulate::astra
