#include "page/sections/memory_section.h"

#include <doctest/doctest.h>

#include "page/memory_page.h"

namespace orrery::page {
namespace {

using memory_snapshot::Action;
using memory_snapshot::BlockState;
using memory_snapshot::Snapshot;

bool mentions(const std::string& html, std::string_view part) { return html.find(part) != std::string::npos; }

/// A thousand allocations of 1 MiB at a line of the program; the last hundred stay.
Snapshot long_history(int allocations) {
  Snapshot snapshot;
  const StringId where = snapshot.strings.intern("train.py:7 in <step>");
  std::vector<memory_snapshot::Event> events = {{0, std::int64_t{1} << 30, 0, 0, Action::segment_alloc}};
  for (int i = 0; i < allocations; ++i) {
    const std::int64_t address = (static_cast<std::int64_t>(i) % 100) << 21;
    if (i >= 100) events.push_back({address, 3 << 19, 10 * i, where, Action::free_completed});
    events.push_back({address, 3 << 19, 10 * i + 5, where, Action::alloc});
  }
  snapshot.events.push_back(std::move(events));
  snapshot.segments.push_back(
      {.size = std::int64_t{1} << 30, .blocks = {{0, 1 << 20, 1 << 20, BlockState::allocated, 0}}});
  return snapshot;
}

}  // namespace

TEST_CASE("the page of a snapshot has its curve, its peak and its segments, and stays small") {
  const Snapshot small = long_history(300), large = long_history(300'000);
  const auto page_of = [](const Snapshot& snapshot, const std::vector<analyze::DeviceMemory>& devices) {
    return make_memory_page({snapshot, devices, "x.pickle"}, nullptr, "x", {}, Diagnostics());
  };
  const auto devices = analyze::replay_allocator(small);
  const Page page = page_of(small, devices);
  REQUIRE(page.sections.size() == 4);
  const std::string& memory = page.sections[1].html;
  CHECK(page.sections[0].id == "verdict");
  CHECK(mentions(page.sections[0].html, "data-peak-bytes=\"" + std::to_string(devices[0].peak_allocated) + "\""));
  CHECK(mentions(memory, "data-device=\"0\""));
  CHECK(mentions(memory, "class=\"peak\""));
  CHECK(mentions(memory, "data-table=\"segments\""));
  // Names are hostile.
  CHECK(mentions(memory, "train.py:7 in &lt;step&gt;"));
  CHECK(page.sections[2].html.empty());

  const auto of_large = analyze::replay_allocator(large);
  const Page other = page_of(large, of_large);
  CHECK(other.sections[1].html.size() < 4 * memory.size() + 100'000);
  CHECK(mentions(other.sections[1].html, std::to_string(of_large[0].peak_allocated)));
}

TEST_CASE("against an earlier snapshot the page says what changed since") {
  const Snapshot before = long_history(50), now = long_history(80);
  const auto of_before = analyze::replay_allocator(before), of_now = analyze::replay_allocator(now);
  const SnapshotMemory earlier{before, of_before, "before.pickle"};
  const Section section = memory_changes_section(earlier, {now, of_now, "now.pickle"});
  CHECK(section.id == "diff");
  CHECK(mentions(section.html, "data-before-bytes=\"" + std::to_string(of_before[0].peak_allocated) + "\""));
  CHECK(mentions(section.html, "data-after-bytes=\"" + std::to_string(of_now[0].peak_allocated) + "\""));
  CHECK(mentions(section.html, "Against before.pickle, the peak is"));
  CHECK(mentions(section.html, "higher"));
}

}  // namespace orrery::page
