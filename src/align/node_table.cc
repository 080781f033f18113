#include "align/node_table.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace orrery::align {

NodeTable::NodeTable(const trace::Trace& trace, const trace::ClockSources& sources,
                     std::optional<std::int64_t> ranks_per_node) {
  std::set<std::int64_t> measured;
  for (const trace::RawProbe& probe : sources.probes) measured.insert({probe.from, probe.to});
  for (const trace::ProbeWindow& window : sources.windows) measured.insert({window.from, window.to});
  for (const trace::GivenOffset& given : sources.offsets) measured.insert({0, given.node});
  std::map<std::string_view, std::int64_t> number_of_host;
  for (const trace::RankTrace& rank : trace.ranks) {
    std::int64_t number = rank.rank;
    if (ranks_per_node) number = rank.rank / *ranks_per_node;
    else if (!rank.source.host.empty()) number = number_of_host.emplace(rank.source.host, rank.rank).first->second;
    numbers_.push_back(number);
    eras_.push_back(rank.era_ns);
    ranks_.push_back(rank.rank);
    measured.erase(number);
  }
  numbers_.insert(numbers_.end(), measured.begin(), measured.end());
  for (std::uint32_t i = 0; i < numbers_.size(); ++i) places_.emplace_back(numbers_[i], i);
  std::sort(places_.begin(), places_.end());
  for (const std::int64_t number : numbers_) clock_places_.push_back(*place(number));
}

std::optional<std::uint32_t> NodeTable::place_of_node_or_rank(std::int64_t number) const {
  if (const auto found = place(number)) return found;
  const auto at = std::find(ranks_.begin(), ranks_.end(), number);
  if (at == ranks_.end()) return std::nullopt;
  return clock_places_[static_cast<std::size_t>(at - ranks_.begin())];
}

std::optional<std::uint32_t> NodeTable::place(std::int64_t number) const {
  const auto at = std::lower_bound(places_.begin(), places_.end(), std::pair(number, std::uint32_t{0}));
  if (at == places_.end() || at->first != number) return std::nullopt;
  return at->second;
}

}  // namespace orrery::align
