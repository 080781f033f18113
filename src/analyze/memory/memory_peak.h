// What fills the memory at its peak, what leaks, and how two peaks differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/memory/allocator_replay.h"
#include "report/facts.h"
#include "report/sheet.h"

namespace orrery::analyze {

struct PeakPart {
  std::string name;
  std::int64_t bytes = 0;
  std::size_t allocations = 0;
};

/// The blocks of the peak by their innermost frame outside of PyTorch ("(not recorded)"), or by the innermost
/// annotation in which they were allocated ("(before)" the history, "(outside)" of all). Largest first; they add up to
/// the peak.
std::vector<PeakPart> peak_by_frame(const memory_snapshot::Snapshot& snapshot, const DeviceMemory& memory);
std::vector<PeakPart> peak_by_phase(const memory_snapshot::Snapshot& snapshot, const DeviceMemory& memory);

struct Leak {
  std::string name;
  std::int64_t bytes_per_step = 0;  ///< requested; the lower median of its steps
  std::size_t steps = 0;
  std::int64_t bytes = 0;  ///< requested, all together
};

/// Steps begin where the annotation begins that occurs most often. A place leaks if in at least three quarters of the
/// steps after the first something allocated there is alive at the end. Largest first.
std::vector<Leak> find_leaks(const memory_snapshot::Snapshot& snapshot, const DeviceMemory& memory);

/// 100 * (1 - largest free block / all free blocks); 0 if nothing is free.
double fragmentation_pct(std::int64_t free, std::int64_t largest_free);

report::Sheet memory_devices_sheet(const std::vector<DeviceMemory>& devices);
enum class PeakBy : std::uint8_t { frame, phase };
/// `only`: rows of one of them.
report::Sheet memory_peak_sheet(const memory_snapshot::Snapshot& snapshot, const std::vector<DeviceMemory>& devices,
                                std::optional<PeakBy> only = {});
report::Sheet memory_leaks_sheet(const memory_snapshot::Snapshot& snapshot, const std::vector<DeviceMemory>& devices);
report::Sheet memory_oom_sheet(const memory_snapshot::Snapshot& snapshot);
/// The segments of the end by device and kind.
report::Sheet memory_segments_sheet(const memory_snapshot::Snapshot& snapshot);
/// Rows by frame of both peaks, over all devices: their changes add up to that of the peak.
report::Sheet memory_changes_sheet(const memory_snapshot::Snapshot& a, const std::vector<DeviceMemory>& of_a,
                                   const memory_snapshot::Snapshot& b, const std::vector<DeviceMemory>& of_b);

}  // namespace orrery::analyze
