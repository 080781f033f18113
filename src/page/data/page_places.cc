#include "page/data/page_places.h"

namespace orrery::page {
PagePlaces places_in_page(const causal::CausalGraph& job, const trace::Trace& trace, const EventTable& events,
                          const NameTable& names) {
  PagePlaces places;
  places.name_count = static_cast<std::uint32_t>(names.size());
  places.name = [&trace, &names](std::string_view text) -> std::optional<std::uint32_t> {
    const StringId name = trace.strings.find(text);
    return name < trace.strings.size() ? names.number(name) : std::nullopt;
  };
  places.lane = [&events](std::uint32_t rank, std::uint32_t lane) { return events.lane_number(rank, lane); };
  places.event = [&job, &trace, &events](std::uint32_t owner) -> std::optional<std::uint32_t> {
    const std::uint32_t rank = job.rank_of_owner(owner);
    const auto event = event_with_ordinal(trace.ranks[rank], job.owners[owner].ordinal);
    return event ? events.id(rank, *event) : std::nullopt;
  };
  return places;
}

}  // namespace orrery::page
