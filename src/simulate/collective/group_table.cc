#include "simulate/collective/group_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "report/counted.h"

namespace orrery::simulate {

std::size_t GroupTable::RanksHash::operator()(std::span<const std::uint32_t> ranks) const {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(ranks.data()), ranks.size_bytes()});
}

bool GroupTable::RanksEqual::operator()(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) const {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

Result<GroupTable::GroupId> GroupTable::intern(std::span<const std::uint32_t> ranks) {
  if (const auto known = by_list_.find(ranks); known != by_list_.end()) return known->second;
  if (ranks.empty()) return Error{.message = "the group of a collective has no ranks"};

  Ranks sorted(ranks.begin(), ranks.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.back() >= device_count_) {
    return Error{.message = fmt::format("rank {} is in a group, but the machine has {}", sorted.back(),
                                        report::counted(device_count_, "device"))};
  }
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    return Error{.message = fmt::format("rank {} is named twice in a group of {}", *twice,
                                        report::counted(sorted.size(), "rank"))};
  }

  const auto [entry, is_new] = by_list_.try_emplace(sorted, static_cast<GroupId>(groups_.size()));
  const GroupId group = entry->second;
  by_list_.try_emplace(Ranks(ranks.begin(), ranks.end()), group);
  if (is_new) groups_.push_back(std::move(sorted));
  return group;
}

}  // namespace orrery::simulate
