#include "page/data/event_columns.h"

#include "page/data/codec.h"

namespace orrery::page {

Blob rank_blob(const trace::Trace& trace, const EventTable& events, const NameTable& names, std::size_t rank_place) {
  const trace::RankTrace& rank = trace.ranks[rank_place];
  const RankEvents& in_page = events.ranks()[rank_place];
  const std::size_t count = in_page.order.size();
  // Gathered first: the order jumps about in the trace, and encoding looks at every value twice.
  Column<std::int64_t> values(count);
  const auto gather = [&](auto&& value_of) {
    for (std::size_t i = 0; i < count; ++i) values[i] = value_of(in_page.order[i]);
  };
  const auto value = [&](std::size_t i) { return values[i]; };
  Blob blob{"rank", rank.rank, {}};
  const TimePs unit = events.unit_ps();
  gather([&](trace::EventIndex e) { return (rank.start[e] - events.origin()) / unit; });
  blob.table.push_back(encode_delta("ev.start", count, value));
  gather([&](trace::EventIndex e) { return rank.duration[e] / unit; });
  blob.table.push_back(encode_planes("ev.dur", count, value));
  gather([&](trace::EventIndex e) { return names.number(rank.name[e], in_page.kind[e]); });
  blob.table.push_back(encode_planes("ev.name", count, value));
  gather([&](trace::EventIndex e) { return rank.ordinal.empty() ? e : rank.ordinal[e]; });
  blob.table.push_back(encode_delta("ev.ordinal", count, value));
  // Else a reader can count: events are numbered by position in the file.
  if (in_page.left_out > 0) {
    gather([&](trace::EventIndex e) { return e; });
    blob.table.push_back(encode_delta("ev.row", count, value));
  }
  return blob;
}

}  // namespace orrery::page
