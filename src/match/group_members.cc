#include "match/group_members.h"

#include <algorithm>

namespace orrery::match {

std::uint32_t group_members(const trace::Trace& trace, const trace::RankTrace& rank, const Operation& operation,
                            trace::EventIndex event, std::uint32_t seen) {
  std::size_t members = 0;
  const std::string_view ranks = trace.strings.text(operation.ranks);
  if (const auto size = rank.field(trace::Field::group_size).find(event); size && *size > 0)
    members = static_cast<std::size_t>(*size);
  else if (ranks.starts_with('[') && ranks.find("...") == std::string_view::npos && ranks.size() > 2)
    members = static_cast<std::size_t>(std::count(ranks.begin(), ranks.end(), ',')) + 1;
  else if (!ranks.empty() && ranks.starts_with('{')) members = seen;
  else if (rank.source.world_size)
    members = static_cast<std::size_t>(std::max<std::int64_t>(*rank.source.world_size, 0));
  return std::max(static_cast<std::uint32_t>(std::min<std::size_t>(members, 1u << 24)), seen);
}

}  // namespace orrery::match
