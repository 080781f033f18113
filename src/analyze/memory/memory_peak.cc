#include "analyze/memory/memory_peak.h"

#include <algorithm>
#include <map>

#include "analyze/memory/block_rules.h"
#include "analyze/memory/memory_groups.h"

namespace orrery::analyze {
namespace {

using memory_snapshot::Annotation;
using memory_snapshot::Snapshot;

std::vector<PeakPart> peak_by(const DeviceMemory& memory, const MemoryGroups& groups) {
  std::vector<PeakPart> parts(groups.names.size());
  for (const std::uint32_t a : memory.at_peak) {
    PeakPart& part = parts[groups.of_allocation[a]];
    part.bytes += memory.allocations[a].size;
    ++part.allocations;
  }
  for (std::size_t group = 0; group < parts.size(); ++group) parts[group].name = groups.names[group];
  std::erase_if(parts, [](const PeakPart& part) { return part.allocations == 0; });
  std::sort(parts.begin(), parts.end(), [](const PeakPart& a, const PeakPart& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name;
  });
  return parts;
}

/// When steps begin: where the annotation does that occurs most often, of several the first.
std::vector<std::int64_t> steps_of_memory(const Snapshot& snapshot, std::int64_t device) {
  std::map<StringId, std::vector<std::int64_t>> starts;
  std::vector<StringId> in_order;
  for (const Annotation& annotation : snapshot.annotations) {
    if (!annotation.is_start || annotation.device != device) continue;
    std::vector<std::int64_t>& of_name = starts[annotation.name];
    if (of_name.empty()) in_order.push_back(annotation.name);
    of_name.push_back(annotation.time_us);
  }
  std::vector<std::int64_t> steps;
  for (const StringId name : in_order) {
    if (starts[name].size() > steps.size()) steps = starts[name];
  }
  return steps;
}

std::map<std::string, std::int64_t> peak_of_all(const Snapshot& snapshot, const std::vector<DeviceMemory>& devices) {
  std::map<std::string, std::int64_t> bytes;
  for (const DeviceMemory& device : devices) {
    for (const PeakPart& part : peak_by_frame(snapshot, device)) bytes[part.name] += part.bytes;
  }
  return bytes;
}

constexpr auto kBytes = report::Unit::bytes;
constexpr auto kInteger = report::Type::integer;

}  // namespace

std::vector<PeakPart> peak_by_frame(const Snapshot& snapshot, const DeviceMemory& memory) {
  return peak_by(memory, groups_by_frame(snapshot, memory));
}

std::vector<PeakPart> peak_by_phase(const Snapshot& snapshot, const DeviceMemory& memory) {
  return peak_by(memory, groups_by_phase(snapshot, memory));
}

std::vector<Leak> find_leaks(const Snapshot& snapshot, const DeviceMemory& memory) {
  const std::vector<std::int64_t> steps = steps_of_memory(snapshot, memory.device);
  if (steps.size() < 2) return {};
  std::map<StringId, std::map<std::size_t, std::int64_t>> alive;  // requested bytes by place and step
  for (const Allocation& allocation : memory.allocations) {
    if (!allocation.is_alive || allocation.is_before || allocation.where == 0) continue;
    const auto step =
        static_cast<std::size_t>(std::upper_bound(steps.begin(), steps.end(), allocation.time_us) - steps.begin());
    if (step >= 2) alive[allocation.where][step] += allocation.requested;
  }
  std::vector<Leak> leaks;
  for (const auto& [where, by_step] : alive) {
    if (4 * by_step.size() < 3 * (steps.size() - 1)) continue;
    std::vector<std::int64_t> bytes;
    Leak leak{memory_place(snapshot, where), 0, by_step.size(), 0};
    for (const auto& [step, requested] : by_step) bytes.push_back(requested), leak.bytes += requested;
    std::sort(bytes.begin(), bytes.end());
    leak.bytes_per_step = bytes[(bytes.size() - 1) / 2];
    leaks.push_back(std::move(leak));
  }
  std::sort(leaks.begin(), leaks.end(),
            [](const Leak& a, const Leak& b) { return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name; });
  return leaks;
}

double fragmentation_pct(std::int64_t free, std::int64_t largest_free) {
  if (free == 0) return 0;
  return 100 * (1 - static_cast<double>(largest_free) / static_cast<double>(free));
}

report::Sheet memory_devices_sheet(const std::vector<DeviceMemory>& devices) {
  report::Sheet sheet("devices");
  sheet.add({.name = "device", .type = kInteger, .title = "device"})
      .add({.name = "history", .title = "history"})
      .add({.name = "peak_allocated", .type = kInteger, .unit = kBytes, .title = "peak"})
      .add({.name = "peak_requested", .type = kInteger, .unit = kBytes, .title = "asked for"})
      .add({.name = "peak_reserved", .type = kInteger, .unit = kBytes, .title = "reserved, peak"})
      .add({.name = "peak_time_us", .type = kInteger})
      .add({.name = "allocated", .type = kInteger, .unit = kBytes, .title = "at the end"})
      .add({.name = "reserved", .type = kInteger, .unit = kBytes, .title = "reserved"})
      .add({.name = "pending_free", .type = kInteger, .unit = kBytes})
      .add({.name = "free", .type = kInteger, .unit = kBytes, .title = "free"})
      .add({.name = "largest_free", .type = kInteger, .unit = kBytes, .title = "largest free"})
      .add({.name = "fragmentation", .type = report::Type::real, .unit = report::Unit::pct, .title = "fragmentation"});
  for (const DeviceMemory& d : devices) {
    sheet.add_row({d.device, identifier(d.history), d.peak_allocated, d.peak_requested, d.peak_reserved, d.peak_time_us,
                   d.at_end.allocated, d.at_end.reserved, d.at_end.pending_free, d.at_end.free, d.at_end.largest_free,
                   fragmentation_pct(d.at_end.free, d.at_end.largest_free)});
  }
  return sheet;
}

report::Sheet memory_peak_sheet(const Snapshot& snapshot, const std::vector<DeviceMemory>& devices,
                                std::optional<PeakBy> only) {
  report::Sheet sheet("peak");
  sheet.add({.name = "device", .type = kInteger, .title = "device"})
      .add({.name = "by", .title = "by"})
      .add({.name = "name", .title = "what fills the peak"})
      .add({.name = "bytes", .type = kInteger, .unit = kBytes, .title = "bytes"})
      .add({.name = "allocations", .type = kInteger, .title = "allocations"});
  for (const DeviceMemory& device : devices) {
    if (only != PeakBy::phase) {
      for (const PeakPart& part : peak_by_frame(snapshot, device))
        sheet.add_row({device.device, "frame", part.name, part.bytes, part.allocations});
    }
    if (only == PeakBy::frame) continue;
    for (const PeakPart& part : peak_by_phase(snapshot, device))
      sheet.add_row({device.device, "phase", part.name, part.bytes, part.allocations});
  }
  return sheet;
}

report::Sheet memory_leaks_sheet(const Snapshot& snapshot, const std::vector<DeviceMemory>& devices) {
  report::Sheet sheet("leaks");
  sheet.add({.name = "device", .type = kInteger, .title = "device"})
      .add({.name = "name", .title = "leaks at"})
      .add({.name = "bytes_per_step", .type = kInteger, .title = "bytes per step"})
      .add({.name = "steps", .type = kInteger, .title = "steps"})
      .add({.name = "bytes", .type = kInteger, .unit = kBytes, .title = "bytes"});
  for (const DeviceMemory& device : devices) {
    for (const Leak& leak : find_leaks(snapshot, device))
      sheet.add_row({device.device, leak.name, leak.bytes_per_step, leak.steps, leak.bytes});
  }
  return sheet;
}

report::Sheet memory_oom_sheet(const Snapshot& snapshot) {
  report::Sheet sheet("oom");
  sheet.add({.name = "device", .type = kInteger, .title = "device"})
      .add({.name = "requested", .type = kInteger, .unit = kBytes, .title = "did not fit"})
      .add({.name = "free", .type = kInteger, .unit = kBytes, .title = "free"})
      .add({.name = "time_us", .type = kInteger})
      .add({.name = "where", .title = "at"});
  for (const memory_snapshot::OutOfMemory& event : snapshot.out_of_memory)
    sheet.add_row({event.device, event.size, event.free, event.time_us, memory_place(snapshot, event.where)});
  return sheet;
}

report::Sheet memory_segments_sheet(const Snapshot& snapshot) {
  struct Kind {
    std::size_t segments = 0;
    SegmentBytes bytes;
  };
  std::map<std::pair<std::int64_t, std::string>, Kind> kinds;
  for (const memory_snapshot::Segment& segment : snapshot.segments) {
    const std::string name =
        std::string(segment.is_small ? "small" : "large") + (segment.is_expandable ? ", expandable" : "");
    Kind& kind = kinds[{segment.device, name}];
    ++kind.segments;
    kind.bytes.add(segment);
  }
  report::Sheet sheet("segments");
  sheet.add({.name = "device", .type = kInteger, .title = "device"})
      .add({.name = "kind", .title = "segments"})
      .add({.name = "segments", .type = kInteger, .title = "count"})
      .add({.name = "reserved", .type = kInteger, .unit = kBytes, .title = "reserved"})
      .add({.name = "allocated", .type = kInteger, .unit = kBytes, .title = "allocated"})
      .add({.name = "pending_free", .type = kInteger, .unit = kBytes, .title = "free pending"})
      .add({.name = "free", .type = kInteger, .unit = kBytes, .title = "free"})
      .add({.name = "largest_free", .type = kInteger, .unit = kBytes, .title = "largest free"})
      .add({.name = "fragmentation", .type = report::Type::real, .unit = report::Unit::pct, .title = "fragmentation"});
  for (const auto& [key, kind] : kinds) {
    const SegmentBytes& bytes = kind.bytes;
    sheet.add_row({key.first, key.second, kind.segments, bytes.reserved, bytes.allocated, bytes.pending_free,
                   bytes.free, bytes.largest_free, fragmentation_pct(bytes.free, bytes.largest_free)});
  }
  return sheet;
}

report::Sheet memory_changes_sheet(const Snapshot& a, const std::vector<DeviceMemory>& of_a, const Snapshot& b,
                                   const std::vector<DeviceMemory>& of_b) {
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> both;
  for (const auto& [name, bytes] : peak_of_all(a, of_a)) both[name].first = bytes;
  for (const auto& [name, bytes] : peak_of_all(b, of_b)) both[name].second = bytes;
  std::vector<std::pair<std::string, std::pair<std::int64_t, std::int64_t>>> rows(both.begin(), both.end());
  const auto change = [](const auto& row) { return row.second.second - row.second.first; };
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& x, const auto& y) {
    return std::max(change(x), -change(x)) > std::max(change(y), -change(y));
  });
  report::Sheet sheet("rows");
  sheet.add({.name = "name", .title = "where"})
      .add({.name = "a", .type = kInteger, .unit = kBytes, .title = "before"})
      .add({.name = "b", .type = kInteger, .unit = kBytes, .title = "after"})
      .add({.name = "change", .type = kInteger, .unit = kBytes, .title = "change", .is_change = true});
  for (const auto& row : rows) sheet.add_row({row.first, row.second.first, row.second.second, change(row)});
  return sheet;
}

}  // namespace orrery::analyze
