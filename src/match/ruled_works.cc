#include "match/ruled_works.h"

#include "trace/names/rules.h"

namespace orrery::match {

using trace::EventIndex;

std::vector<RuledWork> find_ruled_works(const trace::Trace& trace, const trace::RankTrace& rank) {
  std::vector<RuledWork> works;
  if (trace.rules == nullptr) return works;
  trace::RuledNames names(trace.rules.get(), trace.strings);
  const trace::SparseColumn& recorded = rank.field(trace::Field::collective_text);
  for (EventIndex event = 0; event < rank.event_count(); ++event) {
    if (rank.activity(event) != trace::Activity::kernel) continue;
    const std::uint32_t reading = names.find(rank.name[event]);
    if (reading == trace::RuledNames::kNoReading) continue;
    const trace::CommunicationRule& rule = names.rule(reading);
    if (!rule.communicates || rule.role == trace::CommunicationRole::setup) continue;
    if (!rank.has_duration(event) || rank.duration[event] <= 0 || recorded.find(event)) continue;
    works.push_back(
        {event, names.readings()[reading].rule, static_cast<std::uint32_t>(names.readings()[reading].group_size)});
  }
  return works;
}

}  // namespace orrery::match
