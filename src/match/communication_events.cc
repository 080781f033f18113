#include "match/communication_events.h"

#include <array>
#include <vector>

#include "match/communication.h"
#include "match/mpi/mpi_requests.h"

namespace orrery::match {
namespace {

using trace::EventIndex;
using trace::Field;

/// The first and the last to start, and the last to end, of each clock.
void keep_extremes(const trace::RankTrace& rank, Column<std::uint8_t>& is_kept) {
  constexpr EventIndex kNone = ~EventIndex{0};
  struct Extremes {
    EventIndex first = kNone, last = kNone, last_end = kNone;
  };
  std::array<Extremes, 256> clocks;
  for (EventIndex event = 0; event < rank.event_count(); ++event) {
    Extremes& clock = clocks[rank.lanes[rank.lane[event]].clock];
    if (clock.first == kNone || rank.start[event] < rank.start[clock.first]) clock.first = event;
    if (clock.last == kNone || rank.start[event] > rank.start[clock.last]) clock.last = event;
    if (clock.last_end == kNone || rank.end(event) > rank.end(clock.last_end)) clock.last_end = event;
  }
  for (const Extremes& clock : clocks) {
    for (const EventIndex event : {clock.first, clock.last, clock.last_end}) {
      if (event != kNone) is_kept[event] = 1;
    }
  }
}

}  // namespace

Column<std::uint8_t> communication_events(const trace::Trace& trace, const trace::RankTrace& rank) {
  // An MPI program's trace is its communication, and every call may complete or make what another needs.
  if (is_mpi_rank(rank)) return Column<std::uint8_t>(rank.event_count(), 1);
  Column<std::uint8_t> is_kept(rank.event_count(), 0);
  for (const Field field :
       {Field::collective_text, Field::group_name_text, Field::group_ranks_text, Field::tracer_clock}) {
    for (const EventIndex event : rank.field(field).event) is_kept[event] = 1;
  }
  std::vector<std::uint8_t> is_call(trace.strings.size());
  for (StringId id = 0; id < is_call.size(); ++id)
    is_call[id] = is_call_of_communication(trace.strings.text(id)) ? 1 : 0;
  for (EventIndex event = 0; event < rank.event_count(); ++event) is_kept[event] |= is_call[rank.name[event]];
  keep_extremes(rank, is_kept);
  return is_kept;
}

}  // namespace orrery::match
