#include "replay/torch/source/mentions.h"

#include <algorithm>

#include "causal/host/coverage.h"

namespace orrery::replay::torch {

Mentions find_mentions(const RowOrder& order, const ChosenCalls& chosen, const trace::HostArguments& arguments,
                       const Lifetimes& lifetimes, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& held) {
  std::vector<std::uint32_t> last(lifetimes.all.size(), 0);
  for (std::uint32_t row = 0; row < order.parent.size(); ++row) {
    const std::uint32_t call = chosen.call_of[row];
    for (std::uint32_t use = arguments.first[row]; use < arguments.first[row + 1]; ++use) {
      const std::uint32_t lifetime = lifetimes.of_use[use];
      if (lifetime == kNoLifetime) continue;
      const std::uint32_t here = arguments.tensors[use].is_input ? order.begin[row] : order.end[row];
      last[lifetime] = std::max(last[lifetime], call == causal::kNoRow ? here : order.begin[call]);
    }
  }
  for (const auto& [lifetime, until] : held) {
    // Inside of a call nothing is freed.
    const std::uint32_t call = chosen.call_of[order.visits[until].row];
    last[lifetime] = std::max(last[lifetime], call == causal::kNoRow ? until : order.begin[call]);
  }
  return Mentions(group_by_row<std::uint32_t>(order.visits.size(), [&](auto&& add) {
    for (std::uint32_t lifetime = 0; lifetime < last.size(); ++lifetime) add(last[lifetime], lifetime);
  }));
}

}  // namespace orrery::replay::torch
