#include "formats/kineto/async_slices.h"

#include <algorithm>
#include <string>

#include "trace/disjoint_rows.h"
#include "trace/nesting.h"

namespace orrery::kineto {
namespace {

/// Slices that stay together on a lane: one, or those of one key that nest.
struct SliceGroup {
  TimePs start = 0, end = 0;
  std::vector<trace::EventIndex> rows = {};
};

TimePs end_of(const trace::RankTrace& rank, trace::EventIndex e) {
  return rank.start[e] + std::max<TimePs>(rank.duration[e], 0);
}

/// By start, what is around others first.
void sort_by_time(const trace::RankTrace& rank, std::vector<trace::EventIndex>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [&](trace::EventIndex a, trace::EventIndex b) {
    return rank.start[a] != rank.start[b] ? rank.start[a] < rank.start[b] : end_of(rank, a) > end_of(rank, b);
  });
}

/// In order of time. Ends that are out of order in the file, or ids that are used again while they are open, can leave
/// slices of one key that do not nest.
bool do_nest(const trace::RankTrace& rank, const std::vector<trace::EventIndex>& rows) {
  trace::NestingRows nesting([](trace::NestingRows::Row, std::int64_t) {});
  for (const trace::EventIndex row : rows) nesting.add(rank.start[row], end_of(rank, row));
  return nesting.rows() <= 1;
}

/// Lanes for the slices of one thread, made as they are needed.
class LanesOfThread {
 public:
  LanesOfThread(trace::RankTrace& rank, Interner& strings, trace::LaneIndex thread, bool has_others)
      : rank_(rank), strings_(strings), thread_(thread), keeps_first_(!has_others) {}

  trace::LaneIndex add() {
    ++count_;
    if (count_ == 1 && keeps_first_) return thread_;
    trace::Lane added = rank_.lanes[thread_];
    const std::string thread =
        added.thread.text == 0 ? std::to_string(added.thread.number) : std::string(strings_.text(added.thread.text));
    const std::string name(strings_.text(added.thread_name));
    const std::string label = " async " + std::to_string(count_);
    added.thread_name = strings_.intern((name.empty() ? thread : name) + label);
    added.thread = {0, strings_.intern(thread + label)};
    rank_.lanes.push_back(added);
    return static_cast<trace::LaneIndex>(rank_.lanes.size() - 1);
  }

 private:
  trace::RankTrace& rank_;
  Interner& strings_;
  trace::LaneIndex thread_;
  bool keeps_first_;
  std::size_t count_ = 0;
};

/// `groups` are of one thread.
void lay_out_groups(trace::RankTrace& rank, std::vector<SliceGroup>& groups, LanesOfThread lanes) {
  std::stable_sort(groups.begin(), groups.end(), [](const SliceGroup& a, const SliceGroup& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  // Slices alone nest in one another; beside those that belong together nothing lies.
  trace::NestingRows alone([](trace::NestingRows::Row, std::int64_t) {});
  trace::DisjointRows together;
  std::vector<trace::LaneIndex> lanes_alone, lanes_together;
  for (const SliceGroup& group : groups) {
    const bool is_alone = group.rows.size() == 1;
    const std::uint32_t place = is_alone ? alone.add(group.start, group.end) : together.take(group.start, group.end);
    std::vector<trace::LaneIndex>& known = is_alone ? lanes_alone : lanes_together;
    if (place == known.size()) known.push_back(lanes.add());
    for (const trace::EventIndex row : group.rows) rank.lane[row] = known[place];
  }
  alone.finish();
}

}  // namespace

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
  std::map<trace::EventIndex, std::vector<trace::EventIndex>> nested;  // by the outermost, which is among them
  std::vector<std::uint8_t> is_nested(rank.event_count(), 0);
  for (const auto& [row, outermost] : inner_) {
    if (rank.lane[row] != rank.lane[outermost]) continue;
    std::vector<trace::EventIndex>& rows = nested.try_emplace(outermost, 1, outermost).first->second;
    rows.push_back(row);
  }
  std::vector<std::vector<SliceGroup>> of_lane(rank.lanes.size());
  for (auto& [outermost, rows] : nested) {
    sort_by_time(rank, rows);
    if (!do_nest(rank, rows)) continue;
    for (const trace::EventIndex row : rows) is_nested[row] = 1;
    of_lane[rank.lane[outermost]].push_back({rank.start[rows.front()], end_of(rank, rows.front()), rows});
    SliceGroup& group = of_lane[rank.lane[outermost]].back();
    for (const trace::EventIndex row : rows) group.end = std::max(group.end, end_of(rank, row));
  }
  for (const trace::EventIndex row : rows_) {
    if (is_nested[row] == 0) of_lane[rank.lane[row]].push_back({rank.start[row], end_of(rank, row), {row}});
  }
  for (trace::LaneIndex lane = 0; lane < of_lane.size(); ++lane)
    lay_out_groups(rank, of_lane[lane], LanesOfThread(rank, strings, lane, has_others[lane] != 0));
}

}  // namespace orrery::kineto
