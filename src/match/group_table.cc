#include "match/group_table.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/numbers.h"
#include "match/diagnostics.h"

namespace orrery::match {

std::uint32_t group_members(const trace::Trace& trace, const trace::RankTrace& rank, const Operation& operation,
                            trace::EventIndex event, std::uint32_t seen) {
  std::size_t members = 0;
  const std::string_view ranks = trace.strings.text(operation.ranks);
  // What the event says itself is the surest; then a complete list, then what was seen, then the whole job.
  if (const auto size = rank.field(trace::Field::group_size).find(event); size && *size > 0)
    members = static_cast<std::size_t>(*size);
  // Long lists are written with "..." in the middle, and cannot be counted.
  else if (ranks.starts_with('[') && ranks.find("...") == std::string_view::npos && ranks.size() > 2)
    members = static_cast<std::size_t>(std::count(ranks.begin(), ranks.end(), ',')) + 1;
  else if (!ranks.empty() && ranks.starts_with('{')) members = seen;
  else if (operation.group_size > 0) members = operation.group_size;
  else if (rank.source.world_size)
    members = static_cast<std::size_t>(std::max<std::int64_t>(*rank.source.world_size, 0));
  // Never fewer than were seen; a limit against damaged numbers.
  return std::max(static_cast<std::uint32_t>(std::min<std::size_t>(members, 1u << 24)), seen);
}

using trace::Field;

std::vector<std::uint32_t> parse_ranks(std::string_view text) {
  std::vector<std::uint32_t> ranks;
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return ranks;
  for (text = text.substr(1, text.size() - 2);;) {
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
    if (text.empty()) return ranks;
    // A list that cannot be read as a whole is worth nothing.
    if (!take_number(text, ranks.emplace_back())) return {};
  }
}

GroupTable::GroupTable(const trace::Trace& trace, const trace::RankTrace& rank,
                       const std::vector<workload::CommGroup>& listed)
    : trace_(trace),
      world_size_(static_cast<std::size_t>(std::max<std::int64_t>(0, rank.source.world_size.value_or(0)))) {
  for (const workload::CommGroup& group : listed) add(group.name, group.ranks);
  const trace::SparseColumn& names = rank.field(Field::group_name_text);
  const trace::SparseColumn& lists = rank.field(Field::group_ranks_text);
  // Both columns are sorted by event: a merge finds the events that have both.
  for (std::size_t i = 0, j = 0; i < names.event.size() && j < lists.event.size();) {
    if (names.event[i] == lists.event[j]) {
      const auto name = static_cast<StringId>(names.value[i]);
      if (name != 0 && !ranks_.contains(name)) {
        std::vector<std::uint32_t> ranks = parse_ranks(trace.strings.text(static_cast<StringId>(lists.value[j])));
        if (!ranks.empty()) add(name, std::move(ranks));
      }
      ++i, ++j;
    } else if (names.event[i] < lists.event[j]) {
      ++i;
    } else {
      ++j;
    }
  }
}

void GroupTable::add(StringId name, std::vector<std::uint32_t> ranks) {
  // All ranks are the world, which has no list.
  if (ranks.size() == world_size_) ranks.clear();
  ranks_.emplace(name, std::move(ranks));
}

GroupTable::Group GroupTable::find(StringId name, std::int64_t size, Diagnostics& diagnostics) const {
  if (const auto found = ranks_.find(name); found != ranks_.end()) {
    if (found->second.empty()) return {0, nullptr};
    return {name, &found->second};
  }
  // A group of the size of the job is the job, though nobody listed it.
  if (world_size_ == 0 || std::cmp_not_equal(size, world_size_))
    diagnostics.add(kUnknownGroup, [&] { return "group " + std::string(trace_.strings.text(name)); });
  return {0, nullptr};
}

}  // namespace orrery::match
