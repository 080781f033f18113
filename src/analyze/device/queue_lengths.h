// How much launched work waits for a device: queue lengths over time, and what launch calls lose when a queue is full.
#pragma once

#include <optional>
#include <vector>

#include "analyze/device/device_rank.h"

namespace orrery::analyze {

/// How many were in the queue, weighted by time: half of the window it was at most `median`.
struct LengthTimes {
  double mean = 0;
  std::int64_t quarter = 0;
  std::int64_t median = 0;
  std::int64_t three_quarters = 0;
  std::int64_t most = 0;
};

struct QueueTimes {
  std::int64_t device = 0;
  std::optional<std::int64_t> stream;  ///< none: all streams of the device together
  std::size_t works = 0;               ///< whose launch was recorded
  LengthTimes until_end;               ///< in from entering the launch call until the work has ended
  LengthTimes until_start;             ///< until it starts: what waits
  std::size_t full_calls = 0;          ///< calls entered while as many as the limit waited
  TimePs blocked = 0;                  ///< by how much these calls took longer than the median of their name
};

struct RankQueues {
  const DeviceRank* devices = nullptr;
  std::vector<QueueTimes> queues;  ///< by device and stream, each device's own row before its streams
};

std::vector<RankQueues> measure_queues(const std::vector<DeviceRank>& ranks, std::int64_t limit, bool with_memory);

}  // namespace orrery::analyze
