// Trace: what happened. Timed events on lanes, one RankTrace per rank, as columns of plain values.
//
// Memory: 40 bytes per event, 23 per flow point, 32 per value of a counter, 12 per argument value that is kept as a
// column, and each distinct text once. 10^8 events with a correlation id each are 5.2 GB. Arguments that no analysis
// uses are not copied: `source_offset` finds them again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/column.h"
#include "base/int128.h"
#include "base/interner.h"
#include "base/units.h"
#include "trace/activity.h"
#include "trace/argument.h"

namespace orrery::trace {

class Rules;

using LaneIndex = std::uint32_t;

/// Starts and ends of events lie within this (26 days) of the epoch: sums and differences of a few of them fit TimePs.
/// Readers leave out others.
inline constexpr TimePs kMaxMomentPs = (TimePs{1} << 61) - 1;
inline bool is_moment(Int128 time) { return time <= kMaxMomentPs && time >= -kMaxMomentPs; }
/// Distinct categories of one rank, not counting an empty one for those beyond.
inline constexpr std::size_t kMaxCategories = 65'000;

/// A process or thread number as the trace writes it: mostly integers, sometimes text ("stream 7", "Spans").
struct LaneKey {
  std::int64_t number = 0;
  StringId text = 0;  ///< not 0: the key is this text and `number` is 0
  auto operator<=>(const LaneKey&) const = default;
};

/// The key as the trace file has it: 1306 or "Spans" with its quotes.
std::string to_json(const Interner& strings, LaneKey key);

/// A row of the timeline: a host thread or a device stream.
struct Lane {
  LaneKey process;
  LaneKey thread;
  StringId process_name = 0;
  StringId thread_name = 0;
  std::uint8_t clock = 0;  ///< which of the node's clocks stamped it: 0 the host's, 1 the device tracer's
};

struct Category {
  StringId text = 0;
  Activity activity = Activity::other;
};

enum EventFlag : std::uint8_t {
  kHasDuration = 1,  ///< the source gives a duration
  kHasCategory = 2,
  kDurationFromPair = 4,  ///< the duration comes from a begin/end pair
  kDurationEstimated =
      8,  ///< its recorder gives no duration: this one was told apart from what came before by other figures of the run
  kRowClass = 0xf0,  ///< about how long its row is in the file: from 1, in thirds of an octave; 0: not known
};

/// Arrows between lanes, as recorded (Chrome's s, t and f phases).
struct Flows {
  Column<std::int64_t>
      id;  ///< a text is represented by a negative hash of it, the same in every file; -1: none was given
  Column<TimePs> time;
  Column<LaneIndex> lane;
  Column<std::uint16_t> category;
  Column<char> phase;
  [[nodiscard]] std::size_t size() const { return id.size(); }
};

/// Values over time beside the events, as recorded: clocks, power, temperatures. A value holds until the next one of
/// its device and name. In the order of the file.
struct Counters {
  Column<std::int64_t> device;  ///< of which it was measured; kNoDevice: of none
  Column<StringId> name;
  Column<StringId> unit;  ///< 0: not said
  Column<TimePs> time;
  Column<double> value;

  static constexpr std::int64_t kNoDevice = -1;

  [[nodiscard]] std::size_t size() const { return time.size(); }
  void push(std::int64_t of_device, StringId of_name, StringId of_unit, TimePs at, double sample) {
    device.push_back(of_device);
    name.push_back(of_name);
    unit.push_back(of_unit);
    time.push_back(at);
    value.push_back(sample);
  }
};

struct Device {
  std::int64_t id = 0;
  std::string name;
  std::uint64_t memory_bytes = 0;
  std::int64_t multiprocessors = 0;
};

/// A communicator as one of its members recorded it.
struct ProcessGroup {
  std::string name;
  std::vector<std::int64_t> ranks;  ///< in the order of the group; empty: all
};

/// What the file says about itself.
struct SourceInfo {
  std::string path;
  std::uint64_t file_bytes = 0;
  std::uint64_t text_bytes = 0;  ///< after inflating
  std::string format;
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> world_size;
  std::string host;  ///< on which it was recorded, if known: ranks of one host have one clock
  std::string backend;
  std::vector<ProcessGroup> groups;  ///< those that this rank is a member of, in the order in which they were made
  std::optional<std::int64_t> schema_version;
  std::optional<std::int64_t> base_time_ns;
  std::vector<Device> devices;
  std::vector<std::pair<std::string, std::string>> properties;  ///< other top-level values, as JSON text
  bool fractional_timestamps = false;  ///< some time stamp was written with a fraction or exponent
  bool communicates = false;           ///< some name in it is that of a communication with other processes
  bool is_run =
      false;  ///< a recording on its own beside others: `RankTrace::rank` is its place among them (rank_numbers.h)
  bool relative_times =
      false;  ///< nothing says when its events were: only how long they took, and which ended together with which
  bool has_other_arguments = false;  ///< events have arguments that became no column: `source_offset` finds them
  std::uint64_t events_without_timestamp = 0;
  std::uint64_t entries = 0;  ///< everything in the event list, of any phase, usable or not
};

/// One event, before it becomes a row of the columns. What is not said is what nearly all have.
struct EventRow {
  TimePs start = 0;
  TimePs duration = 0;
  StringId name = 0;
  LaneIndex lane = 0;
  std::uint16_t category = 0;
  char phase = 'X';
  std::uint8_t flags = kHasDuration | kHasCategory;
};

/// Where the file has an event.
struct SourcePosition {
  std::uint32_t ordinal = 0;
  std::uint64_t offset = 0;
};

/// Everything one rank recorded. Rows are in file order and never move once the reader has returned the rank.
struct RankTrace {
  SourceInfo source;
  std::int64_t rank = 0;
  std::int64_t epoch_unix_ns = 0;  ///< what TimePs 0 means
  std::int64_t era_ns =
      0;  ///< added to the file's Unix times, for a clock that was years away from the others'; 0 as a rule

  Column<TimePs> start;
  Column<TimePs> duration;
  Column<StringId> name;
  Column<LaneIndex> lane;
  Column<std::uint16_t> category;
  Column<char> phase;
  Column<std::uint8_t> flags;
  Column<std::uint32_t> ordinal;        ///< position in the file's event list, counting entries of every phase
  Column<std::uint64_t> source_offset;  ///< byte position of the event in the (inflated) file

  ArgumentTable arguments;
  std::vector<Lane> lanes;
  std::vector<Category> categories;
  Flows flows;
  Counters counters;

  [[nodiscard]] std::size_t event_count() const { return start.size(); }
  [[nodiscard]] Activity activity(EventIndex e) const { return categories[category[e]].activity; }
  [[nodiscard]] TimePs end(EventIndex e) const { return start[e] + duration[e]; }
  [[nodiscard]] bool has_duration(EventIndex e) const { return (flags[e] & (kHasDuration | kDurationFromPair)) != 0; }
  SparseColumn& field(Field f) { return arguments[f]; }
  [[nodiscard]] const SparseColumn& field(Field f) const { return arguments[f]; }
  /// The one way to add an event. Without a position, the two columns of positions stay as they are: a rank has them
  /// for all events or none.
  EventIndex append_event(const EventRow& row);
  EventIndex append_event(const EventRow& row, SourcePosition position);
  [[nodiscard]] std::size_t memory_bytes() const;
};

inline EventIndex RankTrace::append_event(const EventRow& row) {
  const auto event = static_cast<EventIndex>(start.size());
  start.push_back(row.start);
  duration.push_back(row.duration);
  name.push_back(row.name);
  lane.push_back(row.lane);
  category.push_back(row.category);
  phase.push_back(row.phase);
  flags.push_back(row.flags);
  return event;
}

inline EventIndex RankTrace::append_event(const EventRow& row, SourcePosition position) {
  ordinal.push_back(position.ordinal);
  source_offset.push_back(position.offset);
  return append_event(row);
}

/// One job: its ranks, ordered by rank number, on one epoch and with one table of texts.
struct Trace {
  Interner strings;
  std::int64_t epoch_unix_ns = 0;
  std::vector<RankTrace> ranks;
  /// How names of works are read; none: only what libraries call their own kernels is known.
  std::shared_ptr<const Rules> rules = nullptr;

  [[nodiscard]] std::string_view name(const RankTrace& rank, EventIndex e) const { return strings.text(rank.name[e]); }
};

/// Appends `later` to `into`: same file, following part. Texts, lanes and categories are renumbered in order of first
/// appearance and times moved to the epoch of `into` (which, as long as it has no times, takes that of `later`), so
/// that reading in parts gives the same bits as reading in one go. A thread keeps its first name, a process its last.
/// Returns false, with both ranks unchanged, if the two lie more than kMaxMomentPs apart or have more than
/// kMaxCategories together.
bool append(RankTrace& into, Interner& into_strings, RankTrace&& later, const Interner& later_strings);

/// Adds a rank read with its own table of texts, and puts it on the job's epoch (the first rank with times sets it).
/// Returns false, with the rank unchanged and not added, if its times do not fit the job's epoch.
bool add_rank(Trace& trace, RankTrace&& rank, const Interner& strings);

}  // namespace orrery::trace
