#include "page/page_places.h"

#include <algorithm>

namespace orrery::page {
namespace {

PagePlaces names_and_lanes(const trace::Trace& trace, const EventTable& events, const NameTable& names) {
  PagePlaces places;
  places.name_count = static_cast<std::uint32_t>(names.size());
  places.name = [&trace, &names](std::string_view text) -> std::optional<std::uint32_t> {
    const StringId name = trace.strings.find(text);
    return name < trace.strings.size() ? names.number(name) : std::nullopt;
  };
  places.lane = [&events](std::uint32_t rank, std::uint32_t lane) { return events.lane_number(rank, lane); };
  return places;
}

}  // namespace

PagePlaces places_in_page(const link::StepGraph& step, const trace::Trace& trace, const EventTable& events, const NameTable& names) {
  PagePlaces places = names_and_lanes(trace, events, names);
  places.event = [&step, &events](std::uint32_t owner) { return events.id(0, step.owner_events[owner]); };
  return places;
}

PagePlaces places_in_page(const link::JobGraph& job, const trace::Trace& trace, const EventTable& events, const NameTable& names) {
  PagePlaces places = names_and_lanes(trace, events, names);
  places.event = [&job, &trace, &events](std::uint32_t owner) -> std::optional<std::uint32_t> {
    const auto next = std::upper_bound(job.ranks.begin(), job.ranks.end(), owner,
                                       [](std::uint32_t number, const link::JobRank& rank) { return number < rank.first_owner; });
    const auto rank = static_cast<std::size_t>(next - job.ranks.begin()) - 1;
    const auto event = event_with_ordinal(trace.ranks[rank], job.owners[owner].ordinal);
    return event ? events.id(rank, *event) : std::nullopt;
  };
  return places;
}

}  // namespace orrery::page
