#include "trace/row_builder.h"

namespace orrery::trace {

LaneIndex RowBuilder::lane(LaneKey process, LaneKey thread, int row) {
  // Any hash will do: the entry says whether it is the right one.
  const std::uint64_t hash = static_cast<std::uint64_t>(process.number) * 31 +
                             static_cast<std::uint64_t>(thread.number) * 7 + process.text * 5 + thread.text +
                             static_cast<std::uint64_t>(row) * 3;
  CachedLane& cached = cache_[(hash ^ hash >> 6) & 63];
  if (cached.lane != ~LaneIndex{0} && cached.process == process && cached.thread == thread && cached.row == row)
    return cached.lane;
  const auto [at, is_new] =
      lanes_.emplace(std::tuple(process, thread, row), static_cast<LaneIndex>(rank_->lanes.size()));
  if (is_new) rank_->lanes.push_back({process, thread});
  cached = {process, thread, row, at->second};
  return at->second;
}

std::uint16_t RowBuilder::category(std::string_view text, Activity activity) {
  for (std::size_t i = 0; i < rank_->categories.size(); ++i) {
    if (rank_->categories[i].activity == activity && strings_->text(rank_->categories[i].text) == text)
      return static_cast<std::uint16_t>(i);
  }
  rank_->categories.push_back({strings_->intern(text), activity});
  return static_cast<std::uint16_t>(rank_->categories.size() - 1);
}

bool RowBuilder::add(std::int64_t start_ns, std::int64_t end_ns, StringId name, LaneIndex lane,
                     std::uint16_t category) {
  if (!is_moment_ns(start_ns) || !is_moment_ns(end_ns) || end_ns < start_ns) return false;
  rank_->append_event({start_ns * kPsPerNs, (end_ns - start_ns) * kPsPerNs, name, lane, category},
                      {static_cast<std::uint32_t>(rank_->event_count()), 0});
  return true;
}

bool RowBuilder::add_instant(std::int64_t at_ns, StringId name, LaneIndex lane, std::uint16_t category) {
  if (!is_moment_ns(at_ns)) return false;
  rank_->append_event({at_ns * kPsPerNs, 0, name, lane, category, 'i', kHasCategory},
                      {static_cast<std::uint32_t>(rank_->event_count()), 0});
  return true;
}

}  // namespace orrery::trace
