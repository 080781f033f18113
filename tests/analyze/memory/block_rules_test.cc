#include "analyze/memory/block_rules.h"

#include <doctest/doctest.h>

#include "analyze/memory/memory_peak.h"

namespace orrery::analyze {
namespace {

using memory_snapshot::Action;
using memory_snapshot::AllocatorSettings;
using memory_snapshot::BlockState;
using memory_snapshot::Event;
using memory_snapshot::Snapshot;

constexpr std::int64_t kMega = 1 << 20;

Event at(Action action, std::int64_t address, std::int64_t size) { return {address, size, 1, 0, action}; }

DeviceMemory replayed(const AllocatorSettings& settings, std::vector<Event> events) {
  Snapshot snapshot;
  snapshot.settings = settings;
  snapshot.events.push_back(std::move(events));
  return replay_allocator(snapshot).front();
}

}  // namespace

TEST_CASE("blocks are rounded to 512 bytes, or to parts of the way to the next power of two") {
  AllocatorSettings settings;
  CHECK(rounded_block(settings, 0) == 512);
  CHECK(rounded_block(settings, 513) == 1024);
  CHECK(rounded_block(settings, 3 * kMega + 1) == 3 * kMega + 512);
  settings.roundup_divisions.fill(4);
  // 1,024 to 2,048 in four parts is below what is divided: more than 4 x 512.
  CHECK(rounded_block(settings, 1200) == 1536);
  CHECK(rounded_block(settings, 2048) == 2048);
  CHECK(rounded_block(settings, 2049) == 2560);
  CHECK(rounded_block(settings, 4096) == 4096);
  CHECK(rounded_block(settings, 4097) == 5120);
  CHECK(rounded_block(settings, 9 * kMega) == 10 * kMega);
  // Each power of two from 1 MiB on has its own; smaller sizes have that of 1 MiB, larger ones that of 32 GiB.
  settings.roundup_divisions = {};
  settings.roundup_divisions[3] = 2;
  settings.roundup_divisions[15] = 8;
  CHECK(rounded_block(settings, 7 * kMega + 1) == 7 * kMega + 512);
  CHECK(rounded_block(settings, 9 * kMega) == 12 * kMega);
  CHECK(rounded_block(settings, 17 * kMega) == 17 * kMega);
  CHECK(rounded_block(settings, (std::int64_t{1} << 40) + 1) == (std::int64_t{9} << 37));
  // A file can claim any number.
  settings.roundup_divisions.fill(INT64_MAX);
  CHECK(rounded_block(settings, 9 * kMega) == 9 * kMega);
}

TEST_CASE("blocks of max_split_size and more keep what is behind them") {
  AllocatorSettings settings;
  settings.max_split_size = 32 * kMega;
  const DeviceMemory memory =
      replayed(settings, {at(Action::segment_alloc, 0, 100 * kMega), at(Action::alloc, 0, 31 * kMega),
                          // Split off as ever, since it is below the limit; the next is not, and keeps all 69 MiB.
                          at(Action::alloc, 31 * kMega, 40 * kMega)});
  CHECK(memory.peak_allocated == 100 * kMega);
  CHECK(memory.allocations[0].size == 31 * kMega);
  CHECK(memory.allocations[1].size == 69 * kMega);
}

TEST_CASE("in expandable segments every rest is split off, and pages are what is reserved") {
  AllocatorSettings settings;
  settings.expandable_segments = true;
  const DeviceMemory memory = replayed(
      settings, {at(Action::segment_map, 0, 20 * kMega), at(Action::alloc, 0, 19 * kMega + 1),
                 at(Action::segment_map, 20 * kMega, 20 * kMega), at(Action::alloc, 19 * kMega + 512, 10 * kMega),
                 at(Action::free_requested, 0, 19 * kMega + 1), at(Action::free_completed, 0, 19 * kMega + 1),
                 at(Action::segment_unmap, 0, 18 * kMega)});
  CHECK(memory.peak_allocated == 29 * kMega + 512);
  CHECK(memory.peak_reserved == 40 * kMega);
  CHECK(memory.history == History::whole);
}

TEST_CASE("what was reserved before is what the end has, less what was added since") {
  Snapshot snapshot;
  snapshot.segments.push_back({.size = 60 * kMega, .blocks = {}, .is_expandable = true});
  snapshot.events.push_back(
      {at(Action::segment_map, 40 * kMega, 20 * kMega), at(Action::segment_unmap, 100 * kMega, 50 * kMega)});
  const DeviceMemory memory = replay_allocator(snapshot).front();
  CHECK(memory.peak_reserved == 110 * kMega);
}

TEST_CASE("a free that is asked for no longer counts, and its room is used once it is completed") {
  const DeviceMemory memory =
      replayed({}, {at(Action::segment_alloc, 0, 20 * kMega), at(Action::alloc, 0, 10 * kMega),
                    at(Action::free_requested, 0, 10 * kMega),
                    // Behind the block that is on its way back.
                    at(Action::alloc, 10 * kMega, 9 * kMega), at(Action::free_completed, 0, 10 * kMega),
                    at(Action::alloc, 0, 2 * kMega)});
  // 10, then 10 alone (9 and the 1 MiB behind it), then 12.
  CHECK(memory.peak_allocated == 12 * kMega);
  CHECK(memory.allocations[1].size == 10 * kMega);
  CHECK(memory.allocations[2].size == 2 * kMega);
  REQUIRE(memory.changes.size() == 4);
  CHECK(memory.changes[1].is_end);
}

TEST_CASE("blocks of another size than the rules give: the figures are estimated") {
  Snapshot snapshot;
  snapshot.segments.push_back({.size = 20 * kMega, .blocks = {{0, 20 * kMega, 2 * kMega, BlockState::allocated, 0}}});
  snapshot.events.push_back({at(Action::segment_alloc, 0, 20 * kMega), at(Action::alloc, 0, 2 * kMega)});
  CHECK(replay_allocator(snapshot).front().is_estimated);
  // A pool whose blocks are not split would have taken all of it.
  snapshot.segments.front().blocks.front().size = 2 * kMega;
  CHECK_FALSE(replay_allocator(snapshot).front().is_estimated);
}

TEST_CASE("recorded on an H200 with other settings: the sums are those of torch.cuda.memory_stats()") {
  struct Recorded {
    const char* file;
    std::int64_t peak_allocated, peak_reserved, allocated, reserved;
    History history;
  };
  const Recorded recorded[] = {
      {"max_split", 2335241728, 3883925504, 970440704, 3380609024, History::whole},
      {"roundup", 5648619008, 6520045568, 5647501312, 6213861376, History::cut},
      {"expandable", 3485787648, 4175429632, 1624884224, 2627731456, History::cut},
      {"out_of_memory", 2199586816, 3120562176, 1470596096, 2353004544, History::whole},
  };
  for (const Recorded& truth : recorded) {
    CAPTURE(truth.file);
    Diagnostics diagnostics;
    const auto snapshot = memory_snapshot::read_snapshot(
        std::string(ORRERY_SOURCE_DIR "/data/memory/") + truth.file + ".snapshot.pickle.gz", diagnostics);
    REQUIRE(snapshot);
    const std::vector<DeviceMemory> devices = replay_allocator(*snapshot);
    REQUIRE(devices.size() == 1);
    CHECK(devices[0].peak_allocated == truth.peak_allocated);
    CHECK(devices[0].peak_reserved == truth.peak_reserved);
    CHECK(devices[0].at_end.allocated == truth.allocated);
    CHECK(devices[0].at_end.reserved == truth.reserved);
    CHECK(devices[0].history == truth.history);
    CHECK_FALSE(devices[0].is_estimated);
    CHECK(memory_oom_sheet(*snapshot).rows() == (std::string_view(truth.file) == "out_of_memory" ? 1 : 0));
  }
}

}  // namespace orrery::analyze
