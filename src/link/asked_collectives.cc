#include "link/asked_collectives.h"

#include <algorithm>
#include <map>
#include <utility>

#include "match/communication.h"

namespace orrery::link {

using trace::Activity;
using trace::EventIndex;

std::vector<AskedCollective> find_asked_collectives(const trace::Trace& trace, const trace::RankTrace& rank,
                                                    const HostCommunication& communication, const ContentOrder& content) {
  std::vector<AskedCollective> asked;
  if (communication.is_empty()) return asked;
  struct OfKind {
    std::vector<EventIndex> calls, collectives;
  };
  std::map<std::pair<int, int>, OfKind> kinds;
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    const std::string_view name = trace.name(rank, e);
    const bool is_call = rank.activity(e) == Activity::cpu_operator && name.starts_with("c10d::");
    if (!is_call && !(communication.contains(e) && match::is_host_communication(name))) continue;
    const auto kind = match::communication_kind(name);
    if (!kind) continue;
    OfKind& of_kind = kinds[{static_cast<int>(kind->kind), static_cast<int>(kind->collective)}];
    (is_call ? of_kind.calls : of_kind.collectives).push_back(e);
  }
  const auto before = [&](EventIndex a, EventIndex b) { return content.before(a, b); };
  for (auto& [kind, found] : kinds) {
    if (found.calls.size() != found.collectives.size()) continue;
    std::stable_sort(found.calls.begin(), found.calls.end(), before);
    std::stable_sort(found.collectives.begin(), found.collectives.end(), before);
    const auto follows = [&](std::size_t k) { return rank.start[found.calls[k]] <= rank.start[found.collectives[k]]; };
    std::size_t k = 0;
    while (k < found.calls.size() && follows(k)) ++k;
    if (k < found.calls.size()) continue;
    for (k = 0; k < found.calls.size(); ++k) asked.push_back({found.collectives[k], found.calls[k]});
  }
  std::stable_sort(asked.begin(), asked.end(),
                   [&](const AskedCollective& a, const AskedCollective& b) { return before(a.collective, b.collective); });
  return asked;
}

}  // namespace orrery::link
