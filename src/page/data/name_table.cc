#include "page/data/name_table.h"

#include <algorithm>
#include <numeric>

#include "base/json/json_writer.h"
#include "page/data/codec.h"

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

NameTable::NameTable(const trace::Trace& trace, const EventTable& events) : first_(trace.strings.size(), kNone) {
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const trace::RankTrace& rank = trace.ranks[r];
    const RankEvents& in_page = events.ranks()[r];
    for (const trace::EventIndex e : in_page.order) {
      std::uint32_t at = entry(rank.name[e], in_page.kind[e]);
      if (at == kNone) {
        at = static_cast<std::uint32_t>(entries_.size());
        entries_.push_back({rank.name[e], first_[rank.name[e]], 0, in_page.kind[e]});
        first_[rank.name[e]] = at;
      }
      ++entries_[at].count;
    }
  }
  sorted_.resize(entries_.size());
  std::iota(sorted_.begin(), sorted_.end(), 0U);
  std::sort(sorted_.begin(), sorted_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Entry &x = entries_[a], &y = entries_[b];
    if (x.count != y.count) return x.count > y.count;
    if (x.name != y.name) return trace.strings.text(x.name) < trace.strings.text(y.name);
    return x.kind < y.kind;
  });
  number_.resize(entries_.size());
  for (std::uint32_t i = 0; i < sorted_.size(); ++i) number_[sorted_[i]] = i;
}

EncodedColumn NameTable::column(const Interner& strings) const {
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  for (const std::uint32_t at : sorted_)
    json.begin_array()
        .value(strings.text(entries_[at].name))
        .value(static_cast<unsigned>(entries_[at].kind))
        .end_array();
  json.end_array();
  return encode_json("names", std::move(text));
}

}  // namespace orrery::page
