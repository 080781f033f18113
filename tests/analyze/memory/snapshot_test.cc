#include <doctest/doctest.h>

#include <numeric>

#include "analyze/memory/memory_peak.h"

namespace orrery::analyze {
namespace {

using memory_snapshot::Action;
using memory_snapshot::Annotation;
using memory_snapshot::Block;
using memory_snapshot::BlockState;
using memory_snapshot::Event;
using memory_snapshot::Snapshot;

constexpr std::int64_t kMiB = 1 << 20;

Event event(Action action, std::int64_t address, std::int64_t size, std::int64_t time_us = 1, StringId where = 0) {
  return {address, size, time_us, where, action};
}

std::int64_t sum(const std::vector<PeakPart>& parts) {
  return std::accumulate(parts.begin(), parts.end(), std::int64_t{0},
                         [](std::int64_t total, const PeakPart& part) { return total + part.bytes; });
}

}  // namespace

TEST_CASE("blocks are what was asked for, rounded, with the rest that is not split off") {
  Snapshot snapshot;
  snapshot.events.push_back({event(Action::segment_alloc, 0, 20 * kMiB),
                             // More than 1 MiB is left: it is split off.
                             event(Action::alloc, 0, 2 * kMiB - 100),
                             // Exactly 1 MiB is left of what lies behind: it stays with the block.
                             event(Action::alloc, 2 * kMiB, 17 * kMiB),
                             event(Action::segment_alloc, 100 * kMiB, 2 * kMiB), event(Action::alloc, 100 * kMiB, 1),
                             event(Action::free_requested, 2 * kMiB, 17 * kMiB)});
  const std::vector<DeviceMemory> devices = replay_allocator(snapshot);
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].history == History::whole);
  CHECK(devices[0].peak_allocated == 20 * kMiB + 512);
  CHECK(devices[0].peak_requested == 19 * kMiB - 100 + 1);
  CHECK(devices[0].peak_reserved == 22 * kMiB);
  CHECK(devices[0].at_peak.size() == 3);
  CHECK(sum(peak_by_frame(snapshot, devices[0])) == devices[0].peak_allocated);
}

TEST_CASE("what is freed without having been allocated was there before, with its rest") {
  Snapshot snapshot;
  memory_snapshot::Segment segment{.size = 20 * kMiB};
  segment.blocks = {{0, 2 * kMiB, 2 * kMiB, BlockState::allocated, 0},
                    {2 * kMiB, 18 * kMiB, 0, BlockState::inactive, 0}};
  snapshot.segments.push_back(segment);
  snapshot.events.push_back(
      {event(Action::free_requested, 2 * kMiB, 17 * kMiB + 5), event(Action::free_completed, 2 * kMiB, 17 * kMiB + 5)});
  const std::vector<DeviceMemory> devices = replay_allocator(snapshot);
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].history == History::cut);
  CHECK(devices[0].peak_allocated == 20 * kMiB);
  CHECK(devices[0].peak_reserved == 20 * kMiB);
  CHECK(devices[0].at_end.allocated == 2 * kMiB);
  CHECK(devices[0].at_end.free == 18 * kMiB);
  CHECK(fragmentation_pct(devices[0].at_end.free, devices[0].at_end.largest_free) == 0);
}

TEST_CASE("without a history the end stands for the peak") {
  Snapshot snapshot;
  snapshot.segments.push_back(
      {.device = 1, .size = 2 * kMiB, .is_small = true, .blocks = {{0, 1024, 1000, BlockState::allocated, 0}}});
  const std::vector<DeviceMemory> devices = replay_allocator(snapshot);
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].device == 1);
  CHECK(devices[0].history == History::none);
  CHECK(devices[0].peak_allocated == 1024);
}

TEST_CASE("what stays of nearly every step leaks, and phases are innermost annotations") {
  Snapshot snapshot;
  const StringId here = snapshot.strings.intern("train.py:7 in step"),
                 once = snapshot.strings.intern("train.py:3 in init"), step = snapshot.strings.intern("step"),
                 inner = snapshot.strings.intern("forward");
  std::vector<Event> events = {event(Action::segment_alloc, 0, 20 * kMiB, 0)};
  for (std::int64_t s = 0; s < 5; ++s) {
    snapshot.annotations.push_back({true, 0, 100 * s + 10, step});
    if (s == 1) snapshot.annotations.push_back({true, 0, 115, inner});
    if (s == 1) snapshot.annotations.push_back({false, 0, 130, inner});
    snapshot.annotations.push_back({false, 0, 100 * s + 50, step});
    events.push_back(event(Action::alloc, 4 * s * kMiB, 2 * kMiB, 100 * s + 20, here));
    if (s == 1) events.push_back(event(Action::alloc, (4 * s + 2) * kMiB, 2 * kMiB, 100 * s + 60, once));
  }
  snapshot.events.push_back(std::move(events));
  const std::vector<DeviceMemory> devices = replay_allocator(snapshot);
  const std::vector<Leak> leaks = find_leaks(snapshot, devices[0]);
  REQUIRE(leaks.size() == 1);
  CHECK(leaks[0].name == "train.py:7 in step");
  CHECK(leaks[0].bytes_per_step == 2 * kMiB);
  CHECK(leaks[0].steps == 4);
  const std::vector<PeakPart> phases = peak_by_phase(snapshot, devices[0]);
  CHECK(sum(phases) == devices[0].peak_allocated);
  REQUIRE(phases.size() == 3);
  CHECK(phases[0].name == "step");
  CHECK(phases[0].allocations == 4);
}

}  // namespace orrery::analyze
