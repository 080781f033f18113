// Commits parsed events to the columns of a RankTrace.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "formats/kineto/document.h"
#include "trace/trace.h"

namespace orrery::kineto {

class RankBuilder final : public DocumentHandler {
 public:
  explicit RankBuilder(std::string path) { rank_.source.path = std::move(path); }

  void on_event(const EventRecord& record, std::string_view text, std::uint64_t offset) override;
  void on_unusable(std::string_view text, std::uint64_t offset) override;
  /// Kept up to a size that metadata never reaches.
  void on_property(const std::string& key, std::string_view json) override;

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
