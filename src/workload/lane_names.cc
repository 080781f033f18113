#include "workload/lane_names.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace orrery::workload {

bool is_communication(ActivityKind kind) {
  return kind == ActivityKind::send || kind == ActivityKind::recv || kind == ActivityKind::collective;
}

LaneKey lane_of(const Program& program, std::size_t i) {
  const ActivityKind kind = program.kinds[i];
  const bool on_host =
      program.has(i, activity::kOnHost) || kind == ActivityKind::none || kind == ActivityKind::metadata;
  if (!program.lanes.values().empty()) return {on_host ? LaneKind::thread : LaneKind::stream, program.lanes[i]};
  if (is_communication(kind)) return {LaneKind::communication, 0};
  if (on_host) return {LaneKind::host, 0};
  return {kind == ActivityKind::compute ? LaneKind::compute : LaneKind::memory, 0};
}

std::string lane_name(LaneKey lane) {
  static constexpr std::array<std::string_view, 6> kNames = {"thread",  "stream", "host",
                                                             "compute", "memory", "communication"};
  const std::string_view name = kNames[static_cast<std::size_t>(lane.first)];
  const bool numbered = lane.first == LaneKind::thread || lane.first == LaneKind::stream;
  return numbered ? fmt::format("{} {}", name, lane.second) : std::string(name);
}

}  // namespace orrery::workload
