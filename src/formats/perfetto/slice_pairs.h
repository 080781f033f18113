// Begins and ends of slices on one track, paired as a stack in order of time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/column.h"
#include "base/diagnostics.h"
#include "base/units.h"
#include "trace/trace.h"

namespace orrery::perfetto {

class SlicePairs {
 public:
  // In the order of the file.
  void begin(TimePs time, trace::EventIndex row) { add(time, row, Kind::begin); }
  void end(TimePs time) { add(time, 0, Kind::end); }
  /// A state, which lasts until the next one.
  void state(TimePs time, trace::EventIndex row) { add(time, row, Kind::state); }

  /// Gives the rows their durations. What is left over is counted.
  void pair(trace::RankTrace& rank, Diagnostics& diagnostics);

 private:
  enum class Kind : std::uint8_t { begin, end, state };
  struct Moment {
    TimePs time = 0;
    trace::EventIndex row = 0;
    Kind kind = Kind::begin;
  };

  void add(TimePs time, trace::EventIndex row, Kind kind) {
    is_sorted_ = is_sorted_ && (moments_.empty() || moments_.back().time <= time);
    moments_.push_back({time, row, kind});
  }
  void close(TimePs time, trace::RankTrace& rank, Diagnostics& diagnostics);
  /// Of a track that is not written in order of time.
  void pair_by_time(trace::RankTrace& rank, Diagnostics& diagnostics);
  void take(const Moment& moment, trace::RankTrace& rank, Diagnostics& diagnostics);

  Column<Moment> moments_;
  std::vector<Moment> open_;
  bool is_sorted_ = true;
};

}  // namespace orrery::perfetto
