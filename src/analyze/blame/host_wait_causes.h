// What the host did while a device waited for the call that launches its next work.
//
// A launch call comes when its thread comes to it. So its history is walked back to the begin of the gap, by the rules
// of the causal graph (host_lanes, handoffs): what the thread ran at each moment; where it waited for another thread
// (the autograd thread, a pool, a collective's worker) what that one ran; where it had been given its work, what the
// giver ran before that.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyze/device/device_rank.h"
#include "causal/edge_kind.h"
#include "causal/host/handoffs.h"
#include "causal/host/host_lanes.h"

namespace orrery::analyze {

/// One thing that the host did meanwhile.
struct HostWaitCause {
  causal::EdgeKind kind{};  ///< cpu_operator, cpu_python, cpu_runtime, cpu_untraced, data_loading, communication,
                            ///< handoff or idle_thread
  std::string name;         ///< of steps without their number; empty where nothing was recorded
  std::size_t pieces = 0;   ///< stretches of time
  TimePs time = 0;
};

/// Of the gaps of one device.
class HostWaitCauses {
 public:
  void add(causal::EdgeKind kind, StringId name, TimePs time) {
    Sum& sum = sums_[std::uint64_t{name} << 8 | static_cast<std::uint64_t>(kind)];
    ++sum.pieces;
    sum.time += time;
  }
  /// The longest first, then by name and kind.
  [[nodiscard]] std::vector<HostWaitCause> take(const DeviceRank& devices) const;

 private:
  struct Sum {
    std::size_t pieces = 0;
    TimePs time = 0;
  };
  std::unordered_map<std::uint64_t, Sum> sums_;
};

class HostHistory {
 public:
  /// Keeps references. O(events of the host in the window).
  explicit HostHistory(const DeviceRank& devices);

  /// Adds what the host did in [begin, end), a stretch that ends where the call that launches `next` was entered;
  /// kNoWork: nothing was launched any more, and the main thread is asked. What is added sums up to end - begin.
  void walk(TimePs begin, TimePs end, std::uint32_t next, HostWaitCauses& causes) const;

 private:
  /// A lane goes on at a boundary because of something on another lane.
  struct Start {
    std::uint32_t lane, boundary;
    std::uint32_t from_lane;
    TimePs from_time;
    [[nodiscard]] std::uint64_t key() const { return std::uint64_t{lane} << 32 | boundary; }
  };
  /// A segment is a wait for another lane, the last of those it waits for.
  struct Wait {
    std::uint32_t lane, segment;
    std::uint32_t worker;
    TimePs released;
    [[nodiscard]] std::uint64_t key() const { return std::uint64_t{lane} << 32 | segment; }
  };

  void add_starts(const causal::Handoffs& handoffs);
  void add_waits(const causal::Handoffs& handoffs);
  [[nodiscard]] const Start* start_at(std::uint32_t lane, std::uint32_t boundary) const;
  [[nodiscard]] const Wait* wait_at(std::uint32_t lane, std::uint32_t segment) const;

  /// What there is to know about a segment beyond itself. Nearly all have nothing, so that nothing has to be searched
  /// for.
  enum Mark : std::uint8_t {
    kOwnPause = 1,  ///< see causal::Handoffs
    kStarts = 2,    ///< it begins because of another lane: in `starts_`
    kWaits = 4,     ///< it is a wait for another lane: in `waits_`
  };

  const DeviceRank& devices_;
  causal::HostCommunication communication_;
  std::vector<causal::HostLane> lanes_;           // the main one first, if there is one
  std::vector<std::uint32_t> lane_number_;        // trace lane -> place in lanes_, kNoWork
  std::vector<std::vector<std::uint8_t>> marks_;  // per lane and segment, and one for the end of the lane
  std::vector<Start> starts_;                     // by key
  std::vector<Wait> waits_;                       // by key
};

}  // namespace orrery::analyze
