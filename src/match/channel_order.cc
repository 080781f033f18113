#include "match/channel_order.h"

#include <algorithm>
#include <map>
#include <utility>

namespace orrery::match {
namespace {

using trace::EventIndex;
using trace::Field;

/// The collectives of one rank on one channel.
struct OrderedWorks {
  std::size_t rank = 0;
  std::vector<EventIndex> events;
  std::vector<StringId> kinds;
};

OrderedWorks collectives_of(const trace::Trace& trace, std::size_t rank, const Channel& channel) {
  OrderedWorks ordered{rank, {}, {}};
  const StringId send = trace.strings.find("send"), recv = trace.strings.find("recv");
  trace::InOrder kinds(trace.ranks[rank].field(Field::collective_text));
  for (const EventIndex event : channel.works) {
    const std::int64_t kind = kinds.find(event, 0);
    if (kind == 0 || kind == send || kind == recv) continue;
    ordered.events.push_back(event);
    ordered.kinds.push_back(static_cast<StringId>(kind));
  }
  return ordered;
}

}  // namespace

void number_by_order(trace::Trace& trace, const std::vector<std::vector<Channel>>& channels) {
  std::map<std::string, std::vector<OrderedWorks>> by_name;
  for (std::size_t r = 0; r < channels.size(); ++r) {
    for (const Channel& channel : channels[r]) by_name[channel.name].push_back(collectives_of(trace, r, channel));
  }
  std::vector<std::vector<std::pair<EventIndex, std::int64_t>>> numbers(trace.ranks.size());
  for (const auto& [name, ranks] : by_name) {
    const auto& kinds = ranks.front().kinds;
    const bool agree =
        std::all_of(ranks.begin(), ranks.end(), [&](const OrderedWorks& works) { return works.kinds == kinds; });
    if (!agree) continue;
    for (const OrderedWorks& works : ranks) {
      for (std::size_t i = 0; i < works.events.size(); ++i)
        numbers[works.rank].emplace_back(works.events[i], static_cast<std::int64_t>(i));
    }
  }
  for (std::size_t r = 0; r < numbers.size(); ++r) {
    if (!std::is_sorted(numbers[r].begin(), numbers[r].end())) std::sort(numbers[r].begin(), numbers[r].end());
    trace::SparseColumn column;
    for (const auto& [event, number] : numbers[r]) column.push(event, number);
    trace.ranks[r].field(Field::collective_sequence).merge(std::move(column));
  }
}

}  // namespace orrery::match
