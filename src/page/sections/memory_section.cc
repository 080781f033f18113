#include "page/sections/memory_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyze/memory/block_rules.h"
#include "analyze/memory/memory_curve.h"
#include "analyze/memory/memory_peak.h"
#include "base/percent.h"
#include "base/units.h"
#include "page/sections/memory_picture.h"
#include "page/sections/sheet_table.h"
#include "report/counted.h"
#include "report/html_writer.h"

namespace orrery::page {
namespace {

using analyze::DeviceMemory;
using report::HtmlAttribute;
using report::HtmlWriter;
using report::Sheet;

/// Intervals of a picture, whatever the history has: a page of a large snapshot is as small as one of a small one.
constexpr std::size_t kIntervals = 1000, kBands = 11, kRowsShown = 30;

std::string bytes_of_page(std::int64_t bytes) { return format_bytes(static_cast<std::uint64_t>(bytes)); }

std::int64_t peak_of_all(const SnapshotMemory& memory) {
  std::int64_t sum = 0;
  for (const DeviceMemory& device : memory.devices) sum = analyze::plus_bytes(sum, device.peak_allocated);
  return sum;
}

/// By line; by phase where lines were not recorded.
analyze::MemoryCurve curve_of(const SnapshotMemory& memory, const DeviceMemory& device) {
  analyze::MemoryGroups groups = analyze::groups_by_frame(memory.snapshot, device);
  if (groups.names.size() <= 1) groups = analyze::groups_by_phase(memory.snapshot, device);
  return analyze::memory_curve(device, groups, kIntervals, kBands);
}

std::int64_t highest_of(const SnapshotMemory& memory) {
  std::int64_t most = 0;
  for (const DeviceMemory& device : memory.devices) most = std::max(most, device.peak_allocated);
  return most;
}

void write_curves(HtmlWriter& html, const SnapshotMemory& memory, std::int64_t full) {
  for (const DeviceMemory& device : memory.devices) {
    if (memory.devices.size() > 1) html.element("h3", {}, fmt::format("Device {}", device.device));
    write_memory_curve(html, curve_of(memory, device), device, full);
    if (device.history == analyze::History::none)
      html.element("p", {{"class", "about"}},
                   "No history was recorded (torch.cuda.memory._record_memory_history): the end stands for the peak.");
  }
}

std::string peak_sentence(const SnapshotMemory& memory, const DeviceMemory& device) {
  std::string text = memory.devices.size() > 1
                         ? fmt::format("Device {}, {}: ", device.device, bytes_of_page(device.peak_allocated))
                         : std::string();
  text += report::counted(device.at_peak.size(), "block");
  const std::string unknown = analyze::memory_place(memory.snapshot, 0);
  for (const analyze::PeakPart& part : analyze::peak_by_frame(memory.snapshot, device)) {
    if (part.name == unknown) continue;
    text += fmt::format(", {} of it allocated at {}", percent_text(share_percent(part.bytes, device.peak_allocated)),
                        part.name);
    break;
  }
  return text + fmt::format("; {} are reserved at most. ", bytes_of_page(device.peak_reserved));
}

/// Bytes of cells, for programs.
auto bytes_in(const Sheet& sheet) {
  return [&sheet](std::size_t row, std::size_t column) {
    std::vector<HtmlAttribute> attributes;
    if (sheet.columns()[column].unit == report::Unit::bytes)
      attributes.push_back({"data-bytes", std::to_string(sheet.integer(column, row))});
    return attributes;
  };
}

void write_table(HtmlWriter& html, const Sheet& sheet, const char* title, const char* about, std::string_view rest) {
  if (sheet.rows() == 0) return;
  html.open("div", {{"data-table", sheet.name()}}).element("h3", {}, title);
  if (*about != '\0') html.element("p", {{"class", "about"}}, about);
  write_sheet_table(
      html, sheet,
      {.caption = title, .rows = kRowsShown, .rest = rest, .left_out = {"by"}, .of_cell = bytes_in(sheet)});
  html.close("div");
}

}  // namespace

Section memory_verdict_section(const SnapshotMemory& memory) {
  Section section{"verdict", "Peak", {}, {}};
  HtmlWriter html(section.html);
  const std::int64_t peak = peak_of_all(memory);
  html.open("section", {{"id", "verdict"}, {"data-peak-bytes", std::to_string(peak)}});
  html.open("h1").element("strong", {}, bytes_of_page(peak)).text(" of memory are allocated at the peak.").close("h1");
  std::string text;
  for (const DeviceMemory& device : memory.devices) text += peak_sentence(memory, device);
  html.element("p", {{"class", "about"}}, text + "What NCCL and cuBLAS take for themselves is not in it.");
  html.close("section");
  return section;
}

Section memory_section(const SnapshotMemory& memory) {
  Section section{"memory", "Memory", {}, {}};
  HtmlWriter html(section.html);
  html.open("section", {{"id", "memory"}}).element("h2", {}, "Allocated over time");
  html.element(
      "p", {{"class", "about"}},
      fmt::format("In {} intervals at most, each at its largest; the line marks the peak. Colours are the lines "
                  "of the program that fill it, or phases where no lines were recorded.",
                  format_count(kIntervals)));
  write_curves(html, memory, highest_of(memory));
  write_table(html, analyze::memory_devices_sheet(memory.devices), "Devices", "", "devices");
  write_table(html, analyze::memory_peak_sheet(memory.snapshot, memory.devices, analyze::PeakBy::frame),
              "What fills the peak", "By the innermost line outside of PyTorch.", "places");
  write_table(html, analyze::memory_peak_sheet(memory.snapshot, memory.devices, analyze::PeakBy::phase), "By phase",
              "By the annotation in which it was allocated.", "phases");
  write_table(html, analyze::memory_leaks_sheet(memory.snapshot, memory.devices), "What leaks",
              "Something that was allocated there is alive at the end of nearly every step.", "places");
  write_table(html, analyze::memory_oom_sheet(memory.snapshot), "What did not fit", "", "attempts");
  write_table(html, analyze::memory_segments_sheet(memory.snapshot), "Segments at the end",
              "Fragmentation: what of the free bytes is not in the largest free block. The pictures go from the lowest "
              "address to the highest, as high as it is in use.",
              "kinds");
  for (const DeviceMemory& device : memory.devices) write_segments(html, memory.snapshot, device.device);
  html.close("section");
  return section;
}

Section memory_changes_section(const SnapshotMemory& before, const SnapshotMemory& now) {
  Section section{"diff", "Changes", {}, {}};
  HtmlWriter html(section.html);
  const std::int64_t change = peak_of_all(now) - peak_of_all(before);
  html.open("section", {{"id", "diff"},
                        {"data-before-bytes", std::to_string(peak_of_all(before))},
                        {"data-after-bytes", std::to_string(peak_of_all(now))}});
  html.element("h2", {}, "What changed");
  html.element("p", {{"class", "about"}},
               fmt::format("Against {}, the peak is {} {}.", before.file, bytes_of_page(std::abs(change)),
                           change < 0 ? "lower" : "higher"));
  const Sheet rows = analyze::memory_changes_sheet(before.snapshot, before.devices, now.snapshot, now.devices);
  write_sheet_table(html, rows,
                    {.caption = "What fills the two peaks, by line",
                     .rows = kRowsShown,
                     .rest = "places",
                     .left_out = {},
                     .of_cell = bytes_in(rows)});
  html.element("h3", {}, "Before, to the same scale");
  write_curves(html, before, std::max(highest_of(before), highest_of(now)));
  html.close("section");
  return section;
}

}  // namespace orrery::page
