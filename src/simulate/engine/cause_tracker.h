// What the engine remembers while somebody wants to be told causes: when the dependencies of each activity were done,
// and who had its slot or was before it on its communicator.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulate/engine/options.h"
#include "simulate/engine/run_state.h"
#include "simulate/schedule.h"
#include "workload/membership.h"

namespace orrery::simulate {

/// 24 bytes per activity of the windows that executed ranks are in. Ranks are classes; activities are counted through
/// the windows of a program.
class CauseTracker {
 public:
  /// All must outlive this.
  CauseTracker(const workload::Membership& membership, const RunState& state, const EngineOptions& options);

  /// A window that a rank is given now. Of its dependencies on earlier windows those that were done at this very moment
  /// count as released.
  void opened(std::uint32_t rank, const LiveWindow& window);
  void retired(std::uint32_t rank, const LiveWindow& window);

  void released(std::uint32_t rank, std::uint64_t activity, std::uint64_t source, bool on_start) {
    record(rank, activity).done.offer(state_.now, source, on_start);
  }
  StartCause started(std::uint32_t rank, std::uint64_t activity, const PlannedActivity& planned);
  void ended(std::uint32_t rank, const LiveWindow& window, std::uint64_t activity);
  /// Of one that has started and whose window was not retired.
  [[nodiscard]] TimePs start_of(std::uint32_t rank, std::uint64_t activity) { return record(rank, activity).start_ps; }

  /// The first place of a rank of this class in its group.
  [[nodiscard]] std::uint32_t place_in_group(std::uint32_t rank, std::uint32_t stream) const {
    return place_in_group_[state_.bundles.first_stream[rank] + stream];
  }

 private:
  struct Record {
    LastDone done;
    TimePs start_ps = 0;
  };
  struct WindowRecords {
    std::uint64_t first = 0;
    std::vector<Record> records;
  };
  /// What happened at one moment: a window that is opened at it may depend on any of this.
  struct Moment {
    TimePs at = -1;
    std::vector<std::uint64_t> started, ended;
  };
  struct RankRecords {
    std::vector<WindowRecords> windows;
    std::array<LastEnd, kSlotKinds> slots;
    Moment moment;
  };

  Record& record(std::uint32_t rank, std::uint64_t activity);
  Moment& moment(std::uint32_t rank);

  const RunState& state_;
  const EngineOptions& options_;
  std::vector<RankRecords> ranks_;
  std::vector<LastEnd> streams_;               // by Bundles::first_stream and stream
  std::vector<std::uint32_t> place_in_group_;  // likewise
  std::vector<TimePs> begins_;                 // per class
};

}  // namespace orrery::simulate
