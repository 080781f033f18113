// Commits the lines of an XSpace to the columns of a RankTrace.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "formats/xspace/event_reader.h"
#include "formats/xspace/module_launches.h"
#include "formats/xspace/outline.h"
#include "formats/xspace/plane_names.h"
#include "trace/lane_rows.h"
#include "trace/trace.h"

namespace orrery::xspace {

/// When the members of a line are looked at that decide what its events mean.
enum class HeaderWalk : std::uint8_t {
  with_events,    ///< on the way to the events: in a file whose lines have them behind events, reading ends in an Error
  before_events,  ///< in a walk of their own over each line, wherever they are
};

class RankBuilder {
 public:
  /// `base_unix_ns` is what the lines' times count from, `epoch_unix_ns` what TimePs 0 shall mean.
  RankBuilder(const Contents& contents, Interner& strings, Diagnostics& diagnostics, std::int64_t base_unix_ns,
              std::int64_t epoch_unix_ns, bool positions, HeaderWalk header_walk);

  /// Adds a lane. All lines of a plane come one after the other; `plane_index` is the place of the plane in the file.
  /// After an Error the whole rank is of no use.
  Status add_line(const PlaneOutline& plane, std::size_t plane_index, PlaneNames& names, std::string_view line);
  /// What can be said only after the last line: clocks, and which collectives stand for others.
  trace::RankTrace finish();

 private:
  struct Line {
    LineKind kind;
    std::size_t plane;
    std::optional<std::int64_t> device;
    LineHeader header;
    std::optional<TimePs> start;  ///< what its offsets count from; none: too far away, see start_of
    std::array<std::uint16_t, kNameClasses> category_of_name;  ///< of events without stats that say otherwise
    bool is_timeline;  ///< of a stream or core: each event has those as arguments
  };
  struct Collective {
    trace::EventIndex event;
    StringId kind;
    StringId operation;
    StringId module_name;
    StringId channel;
    StringId groups;
    StringId pairs;
    std::optional<std::int64_t> sequence;
    std::optional<std::int64_t> device;
  };

  Status add_events(Line& line, PlaneNames& names, std::string_view message);
  /// False, with nothing added, if there is something about the event that add_any_event has to look at.
  bool add_usual_event(const Line& line, PlaneNames& names, std::string_view event, trace::LaneRows& rows);
  Status add_any_event(const Line& line, PlaneNames& names, std::string_view event, trace::LaneRows& rows);
  [[nodiscard]] std::optional<TimePs> start_of(const Line& line) const;
  [[nodiscard]] std::uint16_t category_of(const Line& line, NameClass name_class) const;
  void add_fields(const Line& line, const EventKind& kind, trace::EventIndex row);
  void note_execution(const Line& line, trace::EventIndex row);
  void note_collective(const Line& line, const EventKind& kind, trace::EventIndex row);
  /// Fields of the collectives of one line, without those inside another of the same name.
  void add_collectives();
  void drop_launches_of_collectives();
  void assign_clocks();
  [[nodiscard]] std::string position(const char* at) const;

  const Contents& contents_;
  const char* begin_;  // of the contents
  Interner& strings_;
  Diagnostics& diagnostics_;
  std::int64_t base_unix_ns_;
  bool positions_;
  HeaderWalk header_walk_;
  trace::RankTrace rank_;
  EventRecord event_;                    // the one being read
  std::vector<Line> lines_;              // by lane
  std::vector<Collective> collectives_;  // of the line being read
  std::vector<std::uint8_t> is_timed_;   // by lane: whether it has events
  ModuleLaunches launches_;
};

}  // namespace orrery::xspace
