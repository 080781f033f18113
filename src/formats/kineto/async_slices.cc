#include "formats/kineto/async_slices.h"

#include <algorithm>
#include <string>

#include "trace/nesting.h"

namespace orrery::kineto {

std::optional<AsyncSlices::Open> AsyncSlices::end(const AsyncKey& key) {
  const auto at = open_.find(key);
  if (at == open_.end() || at->second.empty()) return std::nullopt;
  const Open slice = at->second.back();
  at->second.pop_back();
  return slice;
}

std::vector<AsyncSlices::Open> AsyncSlices::left_open() const {
  std::vector<Open> left;
  for (const auto& [key, slices] : open_) left.insert(left.end(), slices.begin(), slices.end());
  std::sort(left.begin(), left.end(), [](const Open& a, const Open& b) { return a.row < b.row; });
  return left;
}

void AsyncSlices::lay_out(trace::RankTrace& rank, Interner& strings) const {
  std::vector<std::uint8_t> is_async(rank.event_count(), 0);
  for (const trace::EventIndex row : rows_) is_async[row] = 1;
  std::vector<std::uint8_t> has_others(rank.lanes.size(), 0);
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    if (is_async[e] == 0) has_others[rank.lane[e]] = 1;
  }
  std::vector<std::vector<trace::EventIndex>> of_lane(rank.lanes.size());
  for (const trace::EventIndex row : rows_) of_lane[rank.lane[row]].push_back(row);
  const std::size_t lanes = rank.lanes.size();
  for (trace::LaneIndex lane = 0; lane < lanes; ++lane) {
    std::vector<trace::EventIndex>& rows = of_lane[lane];
    const auto end_of = [&](trace::EventIndex e) { return rank.start[e] + std::max<TimePs>(rank.duration[e], 0); };
    std::stable_sort(rows.begin(), rows.end(), [&](trace::EventIndex a, trace::EventIndex b) {
      return rank.start[a] != rank.start[b] ? rank.start[a] < rank.start[b] : end_of(a) > end_of(b);
    });
    std::vector<trace::LaneIndex> lane_of_row;
    trace::NestingRows nesting([](trace::NestingRows::Row, std::int64_t) {});
    for (const trace::EventIndex row : rows) {
      const trace::NestingRows::Row place = nesting.add(rank.start[row], end_of(row));
      if (place == lane_of_row.size()) {
        const bool keeps = place == 0 && has_others[lane] == 0;
        lane_of_row.push_back(keeps ? lane : static_cast<trace::LaneIndex>(rank.lanes.size()));
        if (!keeps) {
          trace::Lane added = rank.lanes[lane];
          const std::string thread = added.thread.text == 0 ? std::to_string(added.thread.number)
                                                            : std::string(strings.text(added.thread.text));
          const std::string name(strings.text(added.thread_name));
          const std::string label = " async " + std::to_string(place + 1);
          added.thread_name = strings.intern((name.empty() ? thread : name) + label);
          added.thread = {0, strings.intern(thread + label)};
          rank.lanes.push_back(added);
        }
      }
      rank.lane[row] = lane_of_row[place];
    }
    nesting.finish();
  }
}

}  // namespace orrery::kineto
