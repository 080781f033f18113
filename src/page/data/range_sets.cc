#include "page/data/range_sets.h"

#include <algorithm>

namespace orrery::page {

std::uint32_t SetTable::number_of(const Set& set) {
  members_asked_ += set.size();
  if (is_full()) return 0;
  const auto [at, is_new] = numbers_.emplace(set, static_cast<std::uint32_t>(numbers_.size()));
  if (is_new) members_ += set.size();
  return at->second;
}

std::vector<SetTable::Set> SetTable::sets() const {
  std::vector<Set> sets(numbers_.size());
  for (const auto& [set, number] : numbers_) sets[number] = set;
  return sets;
}

void RangeSets::add(TimePs begin, TimePs end, std::int64_t member) {
  if (begin >= end) return;  // holds no moment
  borders_.push_back({begin, member, 1});
  borders_.push_back({end, member, -1});
}

void RangeSets::close(SetTable& table) {
  std::sort(borders_.begin(), borders_.end(), [](const Border& a, const Border& b) { return a.at < b.at; });
  std::map<std::int64_t, int> open;  // how many ranges of each member
  for (std::size_t i = 0; i < borders_.size() && !table.is_full();) {
    const TimePs at = borders_[i].at;
    const std::size_t first = i;
    for (; i < borders_.size() && borders_[i].at == at; ++i) open[borders_[i].member] += borders_[i].change;
    for (std::size_t changed = first; changed < i; ++changed) {
      const auto member = open.find(borders_[changed].member);
      if (member != open.end() && member->second == 0) open.erase(member);
    }
    SetTable::Set set;
    for (const auto& [member, count] : open) set.push_back(member);
    begins_.push_back(at);
    sets_.push_back(table.number_of(set));
  }
  borders_ = {};
}

std::uint32_t RangeSets::at(TimePs moment) const {
  const auto next = std::upper_bound(begins_.begin(), begins_.end(), moment);
  return next == begins_.begin() ? 0 : sets_[static_cast<std::size_t>(next - begins_.begin()) - 1];
}

}  // namespace orrery::page
