#include "replay/torch/source/busiest_stream.h"

#include <algorithm>
#include <numeric>

namespace orrery::replay::torch {

void put_busiest_stream_first(OperationList& list) {
  if (list.streams.empty()) return;
  std::vector<std::uint64_t> uses(list.streams.size(), 0);
  for (const Entry& entry : list.entries) {
    const bool works = entry.kind == Entry::Kind::call || entry.kind == Entry::Kind::work ||
                       entry.kind == Entry::Kind::record || entry.kind == Entry::Kind::wait ||
                       entry.kind == Entry::Kind::collective;
    if (works) ++uses[entry.stream];
    if (entry.kind == Entry::Kind::sync_stream) ++uses[entry.number];
  }
  std::vector<std::uint32_t> order(uses.size()), place(uses.size(), 0);
  std::iota(order.begin(), order.end(), 0u);
  const std::uint32_t busiest = static_cast<std::uint32_t>(std::max_element(uses.begin(), uses.end()) - uses.begin());
  std::rotate(order.begin(), order.begin() + busiest, order.begin() + busiest + 1);
  std::erase_if(order, [&](std::uint32_t stream) { return stream != busiest && uses[stream] == 0; });
  std::vector<std::int64_t> streams;
  for (const std::uint32_t stream : order) {
    place[stream] = static_cast<std::uint32_t>(streams.size());
    streams.push_back(list.streams[stream]);
  }
  for (Entry& entry : list.entries) {
    entry.stream = place[entry.stream];
    if (entry.kind == Entry::Kind::sync_stream) entry.number = place[entry.number];
  }
  list.streams = std::move(streams);
}

}  // namespace orrery::replay::torch
