#include "align/node_table.h"

#include <algorithm>
#include <set>
#include <utility>

namespace orrery::align {

NodeTable::NodeTable(const trace::Trace& trace, const trace::ClockSources& sources) {
  std::set<std::int64_t> measured;
  for (const trace::RawProbe& probe : sources.probes) measured.insert({probe.from, probe.to});
  for (const trace::ProbeWindow& window : sources.windows) measured.insert({window.from, window.to});
  for (const trace::GivenOffset& given : sources.offsets) measured.insert({0, given.node});
  for (const trace::RankTrace& rank : trace.ranks) {
    numbers_.push_back(rank.rank);
    eras_.push_back(rank.era_ns);
    measured.erase(rank.rank);
  }
  numbers_.insert(numbers_.end(), measured.begin(), measured.end());
  for (std::uint32_t i = 0; i < numbers_.size(); ++i) places_.emplace_back(numbers_[i], i);
  std::sort(places_.begin(), places_.end());
}

std::optional<std::uint32_t> NodeTable::place(std::int64_t number) const {
  const auto at = std::lower_bound(places_.begin(), places_.end(), std::pair(number, std::uint32_t{0}));
  if (at == places_.end() || at->first != number) return std::nullopt;
  return at->second;
}

}  // namespace orrery::align
