// Makes ranks of the packets of a Perfetto trace.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostics.h"
#include "base/interner.h"
#include "formats/perfetto/annotations.h"
#include "formats/perfetto/packet_file.h"
#include "formats/perfetto/packet_times.h"
#include "formats/perfetto/rank_part.h"
#include "formats/perfetto/sequence.h"
#include "formats/perfetto/slice_pairs.h"
#include "formats/perfetto/track_table.h"

namespace orrery::perfetto {

struct BuildOptions {
  bool positions = true;
  bool operands = false;
};

/// What a first walk over the packets finds, since packets may refer to what comes after them.
struct TraceOutline {
  TrackTable tracks;
  ClockTable clocks;
  ClockUnits units;

  void look_at(std::string_view packet);
  /// To be called once, after the last packet.
  void finish() { clocks.finish(); }
};

/// The number in a process called "rank 3" or "rank 3 python".
std::optional<std::int64_t> rank_in_process_name(std::string_view name, std::string_view word = "rank ");

class TraceBuilder {
 public:
  TraceBuilder(std::string path, TraceOutline& outline, const BuildOptions& options);

  /// In the order of the file.
  void add(const Packet& packet);
  /// The ranks, with their durations, flows and counters. To be called once.
  std::vector<trace::RankTrace> finish();

  Interner& strings() { return strings_; }
  Diagnostics& diagnostics() { return diagnostics_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// What has come in on a track.
  struct TrackState {
    std::uint32_t part = kNone;  ///< place in parts_; kNone: nobody has asked yet
    trace::LaneIndex lane = 0;
    bool is_path = false;  ///< the critical path that our own writer draws: no work of anybody
    SlicePairs slices;
    struct Sample {
      TimePs time;
      double value;
    };
    std::vector<Sample> samples;
  };
  struct FlowPoint {
    std::uint64_t id;
    TimePs time;
    std::uint32_t part;
    trace::LaneIndex lane;
    std::uint16_t category;
    bool is_ending;
  };
  /// A lane for the work of a queue of a GPU.
  struct QueueLane {
    std::uint32_t part = 0;
    trace::LaneIndex lane = 0;
  };
  /// The members of a TrackEvent.
  struct EventRecord {
    std::uint64_t type = 0;
    std::optional<std::uint64_t> track, name_number;
    std::optional<std::string_view> name;
    std::vector<std::uint64_t> category_numbers;
    std::vector<std::string_view> categories, annotations;
    std::vector<std::uint64_t> flows, ending_flows, extra_tracks, extra_values, extra_real_tracks;
    std::vector<double> extra_reals;
    std::optional<double> counter;
    std::optional<std::int64_t> delta_us, absolute_us;
    std::string_view legacy;
    void clear();
  };
  /// The members of a legacy_event.
  struct LegacyRecord {
    char phase = 0;
    std::int64_t duration_us = -1;
    std::optional<std::uint64_t> id;
    std::optional<std::int64_t> pid, tid;
  };

  Sequence& sequence(std::uint64_t id);
  void find_ranks();
  [[nodiscard]] std::uint32_t part_of_process(std::optional<std::int64_t> pid);
  TrackState& state_of(TrackTable::Place place);
  void resolve(TrackTable::Place place, TrackState& state);

  void add_track_event(std::string_view message, Sequence& sequence, std::optional<TimePs> time);
  static bool read_track_event(std::string_view message, EventRecord& record);
  static LegacyRecord read_legacy(std::string_view message);
  void add_extra_counters(const Sequence& sequence, TimePs time);
  void add_sample(std::uint64_t track, TimePs time, double value);
  trace::EventIndex add_row(TrackState& state, Sequence& sequence, TimePs time, char phase);
  StringId category_text(Sequence& sequence);
  bool says_it_waits(trace::EventIndex row, StringId name, const trace::RankTrace& rank) const;
  TrackTable::Place track_of(const Sequence& sequence, const LegacyRecord& legacy);

  void add_render_stage(std::string_view message, Sequence& sequence, TimePs time);
  QueueLane& queue_lane(std::int64_t gpu, std::uint64_t queue, std::uint32_t part, std::optional<std::int64_t> stream,
                        StringId name);
  void add_gpu_counters(std::string_view message, Sequence& sequence, TimePs time);

  void finish_counters();
  void finish_flows();
  [[nodiscard]] std::string position() const;
  StringId text_of(const NumberTable& table, std::uint64_t number);
  trace::EventIndex append(RankPart& part, const trace::EventRow& row);

  std::string path_;
  TrackTable& tracks_;
  Interner strings_;
  Diagnostics diagnostics_;
  PacketTimes times_;
  ArgumentKeys keys_;
  AnnotationReader annotations_;
  bool positions_;
  std::deque<RankPart> parts_;
  std::map<std::int64_t, std::uint32_t> part_of_rank_;
  std::map<std::int64_t, std::uint32_t> part_of_pid_;
  std::unordered_map<std::uint64_t, Sequence> sequences_;
  Sequence* last_sequence_ = nullptr;
  std::deque<TrackState> states_;  // by place in tracks_
  std::map<std::pair<std::uint32_t, std::pair<std::int64_t, std::uint64_t>>, QueueLane> queue_lanes_;
  GpuCounterNames inline_counters_;
  std::vector<FlowPoint> flow_points_;
  EventRecord event_;                                                       // the one being read
  std::vector<std::pair<std::string_view, std::string_view>> stage_extra_;  // names and values of the one being read
  StringId sync_category_, path_category_, sync_kind_key_, grid_key_, block_key_;
  std::uint64_t offset_ = 0;  // of the packet being read
  std::uint32_t ordinal_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace orrery::perfetto
