// Commits parsed events to the columns of a RankTrace.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/json/json_members.h"
#include "formats/kineto/async_slices.h"
#include "formats/kineto/communication_arguments.h"
#include "formats/kineto/document.h"
#include "formats/kineto/metadata.h"
#include "formats/kineto/nccl_plugin.h"
#include "trace/trace.h"

namespace orrery::kineto {

class RankBuilder final : public DocumentHandler {
 public:
  /// `launch_arrows`: see ReadOptions.
  explicit RankBuilder(std::string path, bool launch_arrows = true) : keeps_launch_arrows_(launch_arrows) {
    rank_.source.host = host_in_name(path);
    rank_.source.path = std::move(path);
  }

  void on_event(const EventRecord& record, std::string_view text, std::uint64_t offset) override;
  void on_unusable(std::string_view text, std::uint64_t offset) override;
  /// Kept up to a size that metadata never reaches, and without limit where the value has a meaning.
  void on_property(const std::string& key, std::string_view json) override;
  void on_trailing_text(std::uint64_t offset) override;

  /// Takes over what `later` has read: the part of the file that follows. False if reading the file in one go would
  /// give something else (a begin and its end may lie in different parts, times may be out of range for one of them
  /// only); neither is of use then.
  bool absorb(RankBuilder& later);
  /// Names lanes after the metadata seen, closes what is still open, and adds to the properties what only the events
  /// say of how they were recorded: "record_shapes", "with_stack", "execution_trace". Call once, after the last event.
  void finish();

  trace::RankTrace& rank() { return rank_; }
  Interner& strings() { return strings_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  /// Whether there was a member of this name, kept or not.
  [[nodiscard]] bool saw_property(std::string_view key) const;

 private:
  struct LaneCacheEntry {
    trace::LaneKey process, thread;
    trace::LaneIndex lane = ~0u;
  };

  struct InvalidText {
    StringId text;
    std::uint64_t offset;
  };

  /// Ids of flows and async events as one number.
  static std::int64_t flow_id(const RawKey& id);
  bool take_times(const EventRecord& record, TimePs& start, TimePs& duration, std::uint64_t offset);
  void tell_what_was_recorded();
  void move_epoch_to_earliest();
  [[nodiscard]] bool may_leave_out(const EventRecord& record, TimePs time) const;
  void add_flow(const EventRecord& record, TimePs time, std::uint64_t offset);
  void add_metadata(const EventRecord& record, std::uint64_t offset);
  void add_counters(const EventRecord& record, TimePs time, std::string_view text, std::uint64_t offset);
  /// Counters of one name and several processes are several.
  void tell_counters_apart();
  void close_pair(trace::LaneIndex lane, TimePs end, std::uint64_t offset);
  AsyncKey async_key(const EventRecord& record, std::uint64_t offset);
  void begin_async(const EventRecord& record, TimePs start, std::uint8_t flags, std::string_view text,
                   std::uint64_t offset);
  void end_async(const EventRecord& record, TimePs end, std::uint64_t offset);
  void finish_async();
  trace::EventIndex add_row(const EventRecord& record, TimePs start, TimePs duration, std::uint8_t flags,
                            std::uint64_t offset);
  void add_communication(trace::EventIndex row, const EventRecord& record, std::string_view text);
  StringId intern(RawText text, std::uint64_t offset);
  trace::LaneKey key_of(const RawKey& key, std::uint64_t offset);
  trace::LaneIndex lane_of(const EventRecord& record, std::uint64_t offset);
  std::uint16_t category_of(const EventRecord& record, std::uint64_t offset);
  std::string position(std::uint64_t offset) const;

  trace::RankTrace rank_;
  bool keeps_launch_arrows_;
  TimePs first_start_ = std::numeric_limits<TimePs>::max(), last_start_ = std::numeric_limits<TimePs>::min();
  Interner strings_;
  Diagnostics diagnostics_;
  CommunicationReader communication_;
  bool has_epoch_ = false;
  bool left_out_by_epoch_ = false;  // with another epoch an event that was left out might not have been
  std::int64_t epoch_us_ = 0;
  std::uint8_t recorded_ = 0;  // bits of Recorded, of all events
  std::vector<std::string> large_properties_;
  std::vector<InvalidText> invalid_texts_;  // each text once, in order of appearance
  std::map<std::pair<trace::LaneKey, trace::LaneKey>, trace::LaneIndex> lanes_;
  std::array<StringId, 1024> recent_texts_{};
  std::array<LaneCacheEntry, 64> lane_cache_{};
  std::array<std::uint16_t, 64> category_cache_{};
  std::map<StringId, std::uint16_t> categories_;
  std::map<trace::LaneIndex, std::vector<trace::EventIndex>> open_;  // begun, not yet ended
  std::map<trace::LaneKey, StringId> process_names_;
  std::vector<trace::LaneKey> counter_processes_;  // as long as the counters
  std::vector<JsonMember> members_, arguments_;    // of the event at hand: kept for their memory
  AsyncSlices async_;
  bool is_plugin_ = false;  // the file is one of NCCL's example plugin
  NcclPlugin plugin_;
  std::vector<trace::EventIndex> timeless_;  // rows of the plugin of which no end has a time
};

}  // namespace orrery::kineto
