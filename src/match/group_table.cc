#include "match/group_table.h"

#include <string>
#include <utility>

#include "base/numbers.h"
#include "match/diagnostics.h"

namespace orrery::match {

using trace::Field;

std::vector<std::uint32_t> parse_ranks(std::string_view text) {
  std::vector<std::uint32_t> ranks;
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return ranks;
  for (text = text.substr(1, text.size() - 2);;) {
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
    if (text.empty()) return ranks;
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
  if (ranks.size() == world_size_) ranks.clear();
  ranks_.emplace(name, std::move(ranks));
}

GroupTable::Group GroupTable::find(StringId name, std::int64_t size, Diagnostics& diagnostics) const {
  if (const auto found = ranks_.find(name); found != ranks_.end()) {
    if (found->second.empty()) return {0, nullptr};
    return {name, &found->second};
  }
  if (world_size_ == 0 || std::cmp_not_equal(size, world_size_))
    diagnostics.add(kUnknownGroup, [&] { return "group " + std::string(trace_.strings.text(name)); });
  return {0, nullptr};
}

}  // namespace orrery::match
