// Rows of a RankTrace from recorders that count nanoseconds: tables of databases, lists of records.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "base/interner.h"
#include "trace/trace.h"

namespace orrery::trace {

/// Lanes and categories are made when their first event comes. An event's `ordinal` is its number in the rank.
class RowBuilder {
 public:
  /// Both must outlive this; `rank` may move as long as nothing is added.
  RowBuilder(RankTrace& rank, Interner& strings) : rank_(&rank), strings_(&strings) {}

  /// `row` tells lanes of one process and thread apart: those of a device from those of a host.
  LaneIndex lane(LaneKey process, LaneKey thread, int row = 0);
  /// There are a dozen; the first is the surest to be found soon.
  std::uint16_t category(std::string_view text, Activity activity);

  /// False if the event does not lie within kMaxMomentPs of the epoch or ends before it starts: then nothing was added.
  bool add(std::int64_t start_ns, std::int64_t end_ns, StringId name, LaneIndex lane, std::uint16_t category);
  bool add_instant(std::int64_t at_ns, StringId name, LaneIndex lane, std::uint16_t category);

  /// Of the event added last.
  [[nodiscard]] EventIndex last() const { return static_cast<EventIndex>(rank_->event_count() - 1); }
  void set(Field field, std::int64_t value) { rank_->field(field).push(last(), value); }

 private:
  struct CachedLane {
    LaneKey process, thread;
    int row = 0;
    LaneIndex lane = ~LaneIndex{0};
  };

  RankTrace* rank_;
  Interner* strings_;
  std::map<std::tuple<LaneKey, LaneKey, int>, LaneIndex> lanes_;
  std::array<CachedLane, 64> cache_ = {};
};

/// Whether so many nanoseconds from the epoch are a moment that a Trace can hold.
inline bool is_moment_ns(std::int64_t ns) { return ns <= kMaxMomentPs / kPsPerNs && ns >= -kMaxMomentPs / kPsPerNs; }

}  // namespace orrery::trace
