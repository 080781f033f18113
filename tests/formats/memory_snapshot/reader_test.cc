#include "formats/memory_snapshot/reader.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>

#include "support/temp_dir.h"

namespace orrery::memory_snapshot {
namespace {

// Pickles of protocol 2, as PyTorch's C++ writes them: every container is filled behind a mark.

std::string text(std::string_view value) {
  return "X" + std::string(1, static_cast<char>(value.size())) + std::string(3, '\0') + std::string(value);
}
std::string number(std::int64_t value) {
  std::string out("\x8a\x08", 2);  // LONG1 of 8 bytes
  for (int byte = 0; byte < 8; ++byte) out += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * byte));
  return out;
}
const std::string kYes = "\x88", kNo = "\x89";

std::string list(std::initializer_list<std::string> items) {
  std::string out = "](";
  for (const std::string& item : items) out += item;
  return out + "e";
}
std::string dict(std::initializer_list<std::pair<std::string_view, std::string>> members) {
  std::string out = "}(";
  for (const auto& [key, value] : members) out += text(key) + value;
  return out + "u";
}

std::string frames(std::string_view file, std::int64_t line, std::string_view name) {
  return list({dict({{"filename", text("/x/site-packages/torch/nn/modules/module.py")},
                     {"line", number(1)},
                     {"name", text("forward")}}),
               dict({{"filename", text(file)}, {"line", number(line)}, {"name", text(name)}})});
}

std::string event(std::string_view action, std::int64_t address, std::int64_t size, std::int64_t time_us) {
  return dict({{"action", text(action)},
               {"addr", number(address)},
               {"size", number(size)},
               {"stream", number(0)},
               {"time_us", number(time_us)},
               {"frames", frames("/home/user/train.py", 7, "step")}});
}

struct ReadFile {
  Result<Snapshot> snapshot;
  Diagnostics diagnostics;
};

ReadFile read(const std::string& body) {
  const orrery::testing::TempDir folder;
  Diagnostics diagnostics;
  auto snapshot = read_snapshot(folder.write("x.pickle", std::string("\x80\x02", 2) + body + "."), diagnostics);
  return {std::move(snapshot), std::move(diagnostics)};
}

std::string snapshot_of(const std::string& segments, const std::string& events,
                        const std::string& settings = dict({})) {
  return dict({{"segments", segments}, {"device_traces", list({events})}, {"allocator_settings", settings}});
}

}  // namespace

TEST_CASE("segments, with blocks in use, on their way back, and free") {
  const auto block = [](std::int64_t address, std::int64_t size, std::string_view state) {
    return dict({{"address", number(address)},
                 {"size", number(size)},
                 {"requested_size", number(size - 12)},
                 {"state", text(state)},
                 {"frames", list({})}});
  };
  const ReadFile file =
      read(snapshot_of(list({dict({{"device", number(1)},
                                   {"address", number(4096)},
                                   {"total_size", number(2 << 20)},
                                   {"segment_type", text("small")},
                                   {"is_expandable", kYes},
                                   // In whatever order.
                                   {"blocks", list({block(5120, 1024, "inactive"), block(4096, 512, "active_allocated"),
                                                    block(4608, 512, "active_pending_free")})}})}),
                       list({})));
  REQUIRE(file.snapshot);
  REQUIRE(file.snapshot->segments.size() == 1);
  const Segment& segment = file.snapshot->segments.front();
  CHECK(segment.device == 1);
  CHECK(segment.is_small);
  CHECK(segment.is_expandable);
  REQUIRE(segment.blocks.size() == 3);
  CHECK(segment.blocks[0].state == BlockState::allocated);
  CHECK(segment.blocks[0].requested == 500);
  CHECK(segment.blocks[1].state == BlockState::pending_free);
  CHECK(segment.blocks[2].state == BlockState::inactive);
}

TEST_CASE("events by device; what only says that somebody looked is none") {
  const ReadFile file =
      read(snapshot_of(list({}), list({event("segment_alloc", 0, 2 << 20, 1), event("alloc", 0, 100, 2),
                                       event("snapshot", 0, 512, 3), event("workspace_snapshot", 0, 512, 3),
                                       event("free_requested", 0, 100, 4), event("free_completed", 0, 100, 5)})));
  REQUIRE(file.snapshot);
  REQUIRE(file.snapshot->events.size() == 1);
  const std::vector<Event>& events = file.snapshot->events.front();
  REQUIRE(events.size() == 4);
  CHECK(events[0].action == Action::segment_alloc);
  CHECK(events[1].action == Action::alloc);
  CHECK(events[2].action == Action::free_requested);
  CHECK(events[3].action == Action::free_completed);
  CHECK(events[3].time_us == 5);
  // The innermost frame is PyTorch's; the one that called it is the program's.
  CHECK(file.snapshot->strings.text(events[1].where) == "train.py:7 in step");
  CHECK(file.diagnostics.sorted().empty());
}

TEST_CASE("what did not fit has no address, but what was free, and may be of any size") {
  const auto failed = [](std::int64_t size) {
    return dict({{"action", text("oom")},
                 {"device_free", number(1000)},
                 {"size", number(size)},
                 {"time_us", number(9)},
                 {"frames", frames("/home/user/train.py", 8, "grow")}});
  };
  const ReadFile file =
      read(snapshot_of(list({}), list({failed(std::int64_t{1} << 42), failed(std::int64_t{1} << 52)})));
  REQUIRE(file.snapshot);
  const std::vector<OutOfMemory>& failures = file.snapshot->out_of_memory;
  REQUIRE(failures.size() == 2);
  CHECK(failures[0].size == std::int64_t{1} << 42);
  CHECK(failures[0].free == 1000);
  CHECK(file.snapshot->strings.text(failures[0].where) == "train.py:8 in grow");
}

TEST_CASE("settings of the allocator, by the power of two from which on they hold") {
  const ReadFile file =
      read(snapshot_of(list({}), list({}),
                       dict({{"max_split_size", number(64 << 20)},
                             {"expandable_segments", kYes},
                             {"roundup_power2_divisions", dict({{"1", number(4)}, {"32768", number(8)}})}})));
  REQUIRE(file.snapshot);
  CHECK(file.snapshot->settings.max_split_size == 64 << 20);
  CHECK(file.snapshot->settings.expandable_segments);
  CHECK(file.snapshot->settings.roundup_divisions.front() == 4);
  CHECK(file.snapshot->settings.roundup_divisions[1] == 0);
  CHECK(file.snapshot->settings.roundup_divisions.back() == 8);

  // -1 is the largest size there is; without settings it is the same.
  const ReadFile plain =
      read(snapshot_of(list({}), list({}), dict({{"max_split_size", number(-1)}, {"expandable_segments", kNo}})));
  REQUIRE(plain.snapshot);
  CHECK(plain.snapshot->settings.max_split_size == AllocatorSettings::kNoLimit);
  CHECK_FALSE(plain.snapshot->settings.expandable_segments);
}

TEST_CASE("what has no place or size is left out and counted") {
  const ReadFile file = read(snapshot_of(list({number(7), dict({{"address", number(0)}, {"total_size", number(-5)}})}),
                                         list({event("alloc", -1, 100, 1), event("alloc", 0, std::int64_t{1} << 45, 1),
                                               event("", 0, 100, 1), number(3), event("alloc", 0, 100, 1)})));
  REQUIRE(file.snapshot);
  CHECK(file.snapshot->segments.empty());
  CHECK(file.snapshot->events.front().size() == 1);
  const std::vector<Diagnostic> remarks = file.diagnostics.sorted();
  REQUIRE(remarks.size() == 1);
  CHECK(remarks.front().kind->code == std::string_view("Y201"));
  CHECK(remarks.front().count == 6);
}

TEST_CASE("other pickles, broken ones and those that could run something are no snapshots") {
  CHECK_FALSE(read(dict({{"segments", list({})}})).snapshot);
  CHECK(read(dict({{"version", number(1)}})).snapshot.error().message == "this is no memory snapshot");
  CHECK_FALSE(read("}(" + text("segments")).snapshot);
  const ReadFile harmful = read("cos\nsystem\n");
  REQUIRE_FALSE(harmful.snapshot);
  CHECK(harmful.snapshot.error().message.find("GLOBAL") != std::string::npos);
}

}  // namespace orrery::memory_snapshot
