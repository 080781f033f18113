#include "workload/lane_names.h"

#include <doctest/doctest.h>

namespace orrery::workload {

TEST_CASE("only threads and streams have numbers") {
  CHECK(lane_name({LaneKind::thread, 3}) == "thread 3");
  CHECK(lane_name({LaneKind::stream, 0}) == "stream 0");
  CHECK(lane_name({LaneKind::memory, 0}) == "memory");
}

TEST_CASE("sends, receives and collectives communicate, nothing else does") {
  for (const ActivityKind kind : {ActivityKind::send, ActivityKind::recv, ActivityKind::collective})
    CHECK(is_communication(kind));
  for (const ActivityKind kind :
       {ActivityKind::none, ActivityKind::metadata, ActivityKind::compute, ActivityKind::memory_load})
    CHECK_FALSE(is_communication(kind));
}

}  // namespace orrery::workload
