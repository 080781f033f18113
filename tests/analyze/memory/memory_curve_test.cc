#include "analyze/memory/memory_curve.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace orrery::analyze {
namespace {

using memory_snapshot::Action;
using memory_snapshot::Snapshot;

constexpr std::int64_t kUnit = 512;

}  // namespace

TEST_CASE("intervals keep their largest value, and what the bands have adds up to it") {
  Snapshot snapshot;
  const StringId a = snapshot.strings.intern("a"), b = snapshot.strings.intern("b"), c = snapshot.strings.intern("c");
  snapshot.events.push_back({{0, 4 * kUnit, 100, a, Action::alloc},
                             {10'000, 8 * kUnit, 104, b, Action::alloc},
                             {10'000, 8 * kUnit, 106, 0, Action::free_completed},
                             {20'000, kUnit, 130, c, Action::alloc},
                             {0, 4 * kUnit, 139, 0, Action::free_completed}});
  const DeviceMemory memory = replay_allocator(snapshot).front();
  const MemoryCurve curve = memory_curve(memory, groups_by_frame(snapshot, memory), 4, 2);
  CHECK(curve.begin_us == 100);
  CHECK(curve.interval_us == 10);
  REQUIRE(curve.points.size() == 4);
  CHECK(curve.points[0].bytes == 12 * kUnit);
  CHECK(curve.points[0].time_us == 104);
  CHECK(curve.points[1].bytes == 4 * kUnit);
  CHECK(curve.points[1].time_us == 110);  // as it was
  CHECK(curve.points[3].bytes == 5 * kUnit);
  CHECK(curve.points[3].time_us == 130);
  CHECK(curve.bands == std::vector<std::string>{"b", "a", "(others)"});
  CHECK(curve.bands_at(0)[0] == 8 * kUnit);
  CHECK(curve.bands_at(3)[2] == kUnit);
}

TEST_CASE("whatever the history, the peak is a point of the curve, and points are few") {
  rc::check([] {
    Snapshot snapshot;
    std::vector<memory_snapshot::Event> events;
    std::map<std::int64_t, std::int64_t> live;
    std::int64_t time = *rc::gen::inRange<std::int64_t>(0, 1000);
    const int count = *rc::gen::inRange(1, 200);
    for (int i = 0; i < count; ++i) {
      time += *rc::gen::inRange<std::int64_t>(0, 50);
      const std::int64_t address = *rc::gen::inRange<std::int64_t>(0, 20) << 24;
      const auto at = live.find(address);
      const std::int64_t size = *rc::gen::inRange<std::int64_t>(1, 1 << 20);
      if (at == live.end()) {
        events.push_back({address, size, time, static_cast<StringId>(0), Action::alloc});
        live[address] = size;
      } else {
        events.push_back({address, at->second, time, 0, Action::free_completed});
        live.erase(at);
      }
    }
    snapshot.events.push_back(std::move(events));
    const DeviceMemory memory = replay_allocator(snapshot).front();
    const MemoryCurve curve = memory_curve(memory, groups_by_phase(snapshot, memory), 16, 3);
    RC_ASSERT(!curve.points.empty() && curve.points.size() <= 16U);
    std::int64_t most = 0;
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      most = std::max(most, curve.points[i].bytes);
      const auto bands = curve.bands_at(i);
      RC_ASSERT(std::accumulate(bands.begin(), bands.end(), std::int64_t{0}) == curve.points[i].bytes);
    }
    RC_ASSERT(most == memory.peak_allocated);
  });
}

TEST_CASE("without a history there is no curve") {
  Snapshot snapshot;
  snapshot.segments.push_back({.size = 1 << 20});
  const DeviceMemory memory = replay_allocator(snapshot).front();
  CHECK(memory_curve(memory, groups_by_frame(snapshot, memory), 16, 3).points.empty());
}

}  // namespace orrery::analyze
