#include "causal/host/call_index.h"

#include <algorithm>

#include "base/radix_sort.h"

namespace orrery::causal {

using trace::Activity;
using trace::EventIndex;
using trace::Field;

CallIndex::CallIndex(const trace::RankTrace& rank, const trace::ContentOrder& content) {
  const trace::SparseColumn& correlation = rank.field(Field::correlation);
  Column<KeyedIndex> order;
  for (std::size_t i = 0; i < correlation.event.size(); ++i) {
    if (rank.activity(correlation.event[i]) == Activity::runtime_call)
      order.push_back({radix_key(correlation.value[i]), correlation.event[i]});
  }
  radix_sort(order);
  for (const KeyedIndex& item : order) {
    const auto value = static_cast<std::int64_t>(item.key ^ (std::uint64_t{1} << 63));
    if (entries_.empty() || entries_.back().correlation != value) entries_.push_back({value, item.index});
    else if (content.before(entries_.back().event, item.index)) entries_.back().event = item.index;
  }
}

EventIndex CallIndex::find(std::int64_t correlation) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), correlation,
                                   [](const Entry& entry, std::int64_t value) { return entry.correlation < value; });
  return at == entries_.end() || at->correlation != correlation ? kNoEvent : at->event;
}

}  // namespace orrery::causal
