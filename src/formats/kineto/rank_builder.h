// Commits parsed events to the columns of a RankTrace.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "formats/kineto/event_record.h"
#include "trace/trace.h"

namespace orrery::kineto {

class RankBuilder {
 public:
  explicit RankBuilder(std::string path) { rank_.source.path = std::move(path); }

  /// `offset` is the byte position of the event in the inflated file.
  void add(const EventRecord& record, std::uint64_t offset);
  /// Counts an entry of the event list that is not an object.
  void add_unusable(std::uint64_t offset);

  /// Names lanes after the metadata seen, closes what is still open. Call once, after the last event.
  void finish();

  trace::RankTrace& rank() { return rank_; }
  Interner& strings() { return strings_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  /// Begin/end pairs were seen: such a file cannot be read in parts, since a part may hold only one of the two.
  [[nodiscard]] bool has_pairs() const { return !open_.empty(); }

 private:
  struct LaneCacheEntry {
    trace::LaneKey process, thread;
    trace::LaneIndex lane = ~0u;
  };

  bool to_time(const Decimal& us, bool relative, TimePs& out, std::uint64_t offset);
  void add_flow(const EventRecord& record, TimePs time);
  void add_metadata(const EventRecord& record);
  void close_pair(trace::LaneIndex lane, TimePs end, std::uint64_t offset);
  trace::EventIndex add_row(const EventRecord& record, TimePs start, TimePs duration, std::uint8_t flags, std::uint64_t offset);
  StringId intern(RawText text, std::uint64_t offset);
  trace::LaneKey key_of(const RawKey& key, std::uint64_t offset);
  trace::LaneIndex lane_of(const EventRecord& record, std::uint64_t offset);
  std::uint16_t category_of(const EventRecord& record, std::uint64_t offset);
  std::string position(std::uint64_t offset) const;

  trace::RankTrace rank_;
  Interner strings_;
  Diagnostics diagnostics_;
  bool has_epoch_ = false;
  std::int64_t epoch_us_ = 0;
  std::map<std::pair<trace::LaneKey, trace::LaneKey>, trace::LaneIndex> lanes_;
  std::array<LaneCacheEntry, 64> lane_cache_{};
  std::array<std::uint16_t, 64> category_cache_{};
  std::map<StringId, std::uint16_t> categories_;
  std::map<trace::LaneIndex, std::vector<trace::EventIndex>> open_;  // begun, not yet ended
  std::map<trace::LaneKey, StringId> process_names_;
};

}  // namespace orrery::kineto
