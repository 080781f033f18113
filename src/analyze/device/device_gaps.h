// Why a device or a stream did nothing: each gap, split at the moment its next work was handed over, by what bound that work's start.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyze/device/device_rank.h"
#include "causal/device/device_binding.h"

namespace orrery::analyze {

enum class IdleReason : std::uint8_t {
  host_wait,       ///< the call that launches the next work had not handed it over (see causal::Submission), or none ever did
  launch_latency,  ///< from then to the start
  stream_wait,     ///< it was launched, and waited for work of another stream, or for room on the device
  kernel_gap,      ///< it was queued behind other work of its stream, and the device took this long to go on
  unknown,         ///< it was launched, or its launch is not recorded, and nothing recorded held it back
};
inline constexpr std::size_t kIdleReasons = 5;
const char* identifier(IdleReason reason);  ///< "host_wait"
const char* to_string(IdleReason reason);   ///< "waiting for the launch call"

/// The pieces of a gap, by reason: at most two are not 0, and they add up to the gap.
using GapPieces = std::array<TimePs, kIdleReasons>;

class GapReasons {
 public:
  /// Keeps references.
  explicit GapReasons(const DeviceRank& devices) : devices_(devices), binding_(devices.timeline, devices.window) {}

  /// Of the gap [begin, end) that `next` ends; it may start behind the window, or be kNoWork. What bound its start is what `path` says bound it.
  [[nodiscard]] GapPieces split(TimePs begin, TimePs end, std::uint32_t next) const;

 private:
  const DeviceRank& devices_;
  causal::DeviceBinding binding_;
};

/// Idle time of a device or a stream by reason, with every piece.
struct IdleTimes {
  std::array<TimePs, kIdleReasons> time = {};
  std::array<std::vector<TimePs>, kIdleReasons> pieces;

  void add(const GapPieces& gap);
  [[nodiscard]] TimePs total() const;
};

}  // namespace orrery::analyze
