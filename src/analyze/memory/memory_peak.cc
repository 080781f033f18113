#include "analyze/memory/memory_peak.h"

#include <algorithm>
#include <map>
#include <optional>

namespace orrery::analyze {
namespace {

using memory_snapshot::Annotation;
using memory_snapshot::Event;
using memory_snapshot::Snapshot;

std::string where_of(const Snapshot& snapshot, StringId where) {
  return where == 0 ? "(not recorded)" : std::string(snapshot.strings.text(where));
}

std::vector<PeakPart> largest_first(std::map<std::string, PeakPart> parts) {
  std::vector<PeakPart> list;
  for (auto& [name, part] : parts) {
    part.name = name;
    list.push_back(std::move(part));
  }
  std::stable_sort(list.begin(), list.end(), [](const PeakPart& a, const PeakPart& b) { return a.bytes > b.bytes; });
  return list;
}

template <typename NameOf>
std::vector<PeakPart> peak_by(const DeviceMemory& memory, const NameOf& name_of) {
  std::map<std::string, PeakPart> parts;
  for (const std::uint32_t a : memory.at_peak) {
    PeakPart& part = parts[name_of(memory.allocations[a])];
    part.bytes += memory.allocations[a].size;
    ++part.allocations;
  }
  return largest_first(std::move(parts));
}

/// From which moment on which annotation is the innermost; nothing: none.
std::vector<std::pair<std::int64_t, std::optional<StringId>>> phases_of(const Snapshot& snapshot, std::int64_t device) {
  std::vector<std::pair<std::int64_t, std::optional<StringId>>> phases;
  std::vector<StringId> open;
  for (const Annotation& annotation : snapshot.annotations) {
    if (annotation.device != device) continue;
    if (annotation.is_start) {
      open.push_back(annotation.name);
    } else {
      // The innermost of its name ends; one without a beginning was begun before the recording.
      const auto last = std::find(open.rbegin(), open.rend(), annotation.name);
      if (last != open.rend()) open.erase(std::next(last).base());
    }
    phases.emplace_back(annotation.time_us, open.empty() ? std::nullopt : std::optional(open.back()));
  }
  return phases;
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
  return peak_by(memory, [&](const Allocation& allocation) { return where_of(snapshot, allocation.where); });
}

std::vector<PeakPart> peak_by_phase(const Snapshot& snapshot, const DeviceMemory& memory) {
  const auto phases = phases_of(snapshot, memory.device);
  return peak_by(memory, [&](const Allocation& allocation) -> std::string {
    if (allocation.is_before) return "(before)";
    auto at = std::upper_bound(phases.begin(), phases.end(), allocation.time_us,
                               [](std::int64_t time, const auto& phase) { return time < phase.first; });
    if (at == phases.begin()) return "(before)";
    --at;
    return at->second ? std::string(snapshot.strings.text(*at->second)) : "(outside)";
  });
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
    Leak leak{where_of(snapshot, where), 0, by_step.size(), 0};
    for (const auto& [step, requested] : by_step) bytes.push_back(requested), leak.bytes += requested;
    std::sort(bytes.begin(), bytes.end());
    leak.bytes_per_step = bytes[(bytes.size() - 1) / 2];
    leaks.push_back(std::move(leak));
  }
  std::stable_sort(leaks.begin(), leaks.end(), [](const Leak& a, const Leak& b) { return a.bytes > b.bytes; });
  return leaks;
}

double fragmentation_pct(const DeviceMemory& memory) {
  if (memory.free == 0) return 0;
  return 100 * (1 - static_cast<double>(memory.largest_free) / static_cast<double>(memory.free));
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
                   d.allocated, d.reserved, d.pending_free, d.free, d.largest_free, fragmentation_pct(d)});
  }
  return sheet;
}

report::Sheet memory_peak_sheet(const Snapshot& snapshot, const std::vector<DeviceMemory>& devices) {
  report::Sheet sheet("peak");
  sheet.add({.name = "device", .type = kInteger, .title = "device"})
      .add({.name = "by", .title = "by"})
      .add({.name = "name", .title = "what fills the peak"})
      .add({.name = "bytes", .type = kInteger, .unit = kBytes, .title = "bytes"})
      .add({.name = "allocations", .type = kInteger, .title = "allocations"});
  for (const DeviceMemory& device : devices) {
    for (const PeakPart& part : peak_by_frame(snapshot, device))
      sheet.add_row({device.device, "frame", part.name, part.bytes, part.allocations});
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
  for (std::size_t d = 0; d < snapshot.events.size(); ++d) {
    for (const Event& event : snapshot.events[d]) {
      if (event.action != memory_snapshot::Action::oom) continue;
      sheet.add_row({d, event.size, event.device_free, event.time_us, where_of(snapshot, event.where)});
    }
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
