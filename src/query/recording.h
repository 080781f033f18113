// What a database answers questions about: a trace that was read, and what of it the tables of the critical path show.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "analyze/capture/kernel_provenance.h"
#include "base/column.h"
#include "base/diagnostics.h"
#include "job/recorded_job.h"
#include "machine/device/device.h"
#include "trace/trace.h"

namespace orrery::query {

/// All that it refers to must outlive the database, and stay as it is; `remarks` grows when something is linked for an
/// answer.
struct Recording {
  const trace::Trace& trace;
  const job::RecordedJob* job =
      nullptr;  ///< of several ranks: what `trace` is of; null: the path is that of the lowest rank
  job::JobWindowRequest window = {};  ///< of which part the path is; `typical` as for `orrery path`
  Diagnostics& remarks;
  bool all_arguments = false;  ///< `args` has what the files say beyond the known arguments, too: they are read again
  /// Which device it was made on, asked when a question first needs a roof; none: nothing tells.
  std::function<std::optional<machine::Device>()> device = {};
  /// What compilers wrote about the kernels of each rank, by its place in `trace`; empty or null: nothing.
  std::vector<std::shared_ptr<const analyze::KernelProvenance>> provenance = {};
};

/// A lane of a rank as one number, as Perfetto's views have it: rank · 2³² + lane.
constexpr std::int64_t kLanesOfTrack = std::int64_t{1} << 32;
constexpr std::int64_t track_of(std::int64_t rank, std::int64_t lane) { return rank * kLanesOfTrack + lane; }
constexpr std::int64_t lane_of_track(std::int64_t track) { return track & (kLanesOfTrack - 1); }
constexpr std::int64_t rank_of_track(std::int64_t track) { return (track - lane_of_track(track)) / kLanesOfTrack; }

/// Events of all ranks in one row: those of the lowest rank first, each rank's in the order of its file.
class EventNumbers {
 public:
  explicit EventNumbers(const trace::Trace& trace);

  struct Place {
    std::uint32_t rank = 0;  ///< place in Trace::ranks
    trace::EventIndex event = 0;
  };
  [[nodiscard]] std::uint64_t count() const { return first_.back(); }
  [[nodiscard]] std::uint64_t first(std::size_t rank) const { return first_[rank]; }
  /// O(log ranks).
  [[nodiscard]] Place place(std::uint64_t id) const;
  [[nodiscard]] std::int64_t id(std::size_t rank, trace::EventIndex event) const {
    return static_cast<std::int64_t>(first_[rank] + event);
  }

 private:
  std::vector<std::uint64_t> first_;  // per rank, and how many there are
};

// Which step events belong to: the numbers that `steps` has, as --instance counts them.

inline constexpr std::int32_t kNoStep = -1;

/// Made rank by rank, when they are first asked for.
class Steps {
 public:
  explicit Steps(const Recording& recording) : recording_(recording), ranks_(recording.trace.ranks.size()) {}

  /// The events that are the steps of a rank, by start.
  const std::vector<trace::EventIndex>& events(std::size_t rank);
  /// Host events by their start, device work by when it was launched; kNoStep: outside all steps.
  std::int32_t step_of(std::size_t rank, trace::EventIndex event);

 private:
  struct Rank {
    bool has_steps = false, has_numbers = false;
    std::vector<trace::EventIndex> steps;
    Column<std::int32_t> of_event;
  };
  void number_events(std::size_t rank);

  const Recording& recording_;
  std::vector<Rank> ranks_;
};

}  // namespace orrery::query
