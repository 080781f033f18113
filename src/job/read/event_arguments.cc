#include "job/read/event_arguments.h"

#include <algorithm>
#include <array>

#include "base/json/json_unescape.h"
#include "formats/kineto/format.h"
#include "formats/kineto/raw_event.h"

namespace orrery::job {

Status visit_arguments(const trace::RankTrace& rank, const std::vector<trace::EventIndex>& wanted,
                       const std::function<void(std::size_t, const std::vector<JsonMember>&)>& visit) {
  if (rank.source.format != kineto::kFormat.name || rank.source_offset.empty()) return {};
  std::vector<std::pair<std::uint64_t, std::size_t>> places;
  for (std::size_t i = 0; i < wanted.size(); ++i) places.emplace_back(rank.source_offset[wanted[i]], i);
  std::sort(places.begin(), places.end());
  std::vector<std::uint64_t> offsets;
  offsets.reserve(places.size());
  for (const auto& [offset, i] : places) offsets.push_back(offset);
  std::vector<JsonMember> members;
  return kineto::visit_event_texts(rank.source.path, offsets, [&](std::size_t k, std::string_view text) {
    members.clear();
    const auto [args] = members_of(text, std::array<std::string_view, 1>{"args"});
    if (!args.starts_with('{') || !list_members(args, members)) members.clear();
    visit(places[k].second, members);
  });
}

Result<std::vector<Arguments>> read_arguments(const trace::RankTrace& rank,
                                              const std::vector<trace::EventIndex>& wanted) {
  std::vector<Arguments> arguments(wanted.size());
  const Status visited = visit_arguments(rank, wanted, [&](std::size_t i, const std::vector<JsonMember>& members) {
    for (const JsonMember& member : members) arguments[i][unescape_json(member.key)] = std::string(member.value);
  });
  if (!visited) return visited.error();
  return arguments;
}

}  // namespace orrery::job
