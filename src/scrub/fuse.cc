#include "scrub/fuse.h"

namespace orrery::scrub {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};

// Sums from a file may be anything; what does not fit is not fused.
bool add(std::uint64_t& sum, std::uint64_t more) { return !__builtin_add_overflow(sum, more, &sum); }

}  // namespace

FusedChains find_chains(const std::vector<FusableNode>& nodes) {
  std::unordered_map<std::uint64_t, std::size_t> index_of;
  index_of.reserve(nodes.size());
  std::vector<std::uint8_t> is_unique(nodes.size(), 1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto [known, is_new] = index_of.emplace(nodes[i].id, i);
    // Two nodes of one id: nobody can tell which of them others wait for.
    if (!is_new) is_unique[i] = is_unique[known->second] = 0;
  }
  std::vector<std::uint32_t> needed_by(nodes.size(), 0);
  for (const FusableNode& node : nodes) {
    for (const std::uint64_t id : node.needs) {
      if (const auto at = index_of.find(id); at != index_of.end()) ++needed_by[at->second];
    }
  }
  // previous[i]: the node that i goes on from.
  std::vector<std::size_t> previous(nodes.size(), kNone), next(nodes.size(), kNone);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].is_compute || nodes[i].needs.size() != 1 || is_unique[i] == 0) continue;
    const auto at = index_of.find(nodes[i].needs.front());
    // It waits for a node that is not there, or for itself: neither ever starts, before or after.
    if (at == index_of.end() || at->second == i) continue;
    const FusableNode& before = nodes[at->second];
    if (!before.is_compute || before.place != nodes[i].place || needed_by[at->second] != 1 ||
        is_unique[at->second] == 0)
      continue;
    previous[i] = at->second;
    next[at->second] = i;
  }
  FusedChains chains;
  for (std::size_t first = 0; first < nodes.size(); ++first) {
    if (previous[first] != kNone || next[first] == kNone) continue;  // a circle has no first node, and stays
    FusedChains::Chain chain{nodes[first].id,          1,
                             nodes[first].duration_us, nodes[first].operations,
                             nodes[first].bytes,       nodes[first].start_us};
    std::size_t last = first;
    for (std::size_t i = next[first]; i != kNone; i = next[i]) {
      FusedChains::Chain longer = chain;
      if (!add(longer.duration_us, nodes[i].duration_us) || !add(longer.operations, nodes[i].operations) ||
          !add(longer.bytes, nodes[i].bytes))
        break;
      chain = longer;
      ++chain.nodes;
      chains.gone.insert(nodes[last].id);
      last = i;
    }
    if (chain.nodes == 1) continue;
    chains.by_last_id.emplace(nodes[last].id, chain);
  }
  return chains;
}

}  // namespace orrery::scrub
