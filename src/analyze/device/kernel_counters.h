// Hardware counters of kernels, with the operators that launched them.
//
// A profiler of ranges runs kernels one by one and writes a range for each, in order, with times that mean nothing. So
// the n-th range is of the n-th launch of a kernel, by any runtime or driver, if there are as many of both; else nobody
// can tell, and the operators are left open.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyze/device/device_rank.h"
#include "report/sheet.h"

namespace orrery::analyze {

struct KernelCounters {
  std::int64_t rank = 0;
  StringId kernel = 0;
  std::optional<std::vector<StringId>>
      operators;  ///< around the launch, on its thread, outermost first; none: it cannot be told
  std::map<std::string, std::string> counters;  ///< name to value as JSON, as recorded
};

/// The counted ranges of the window, in order. By start, then content.
std::vector<trace::EventIndex> counted_ranges(const DeviceRank& devices);

/// `arguments`: of each counted range, name to value as JSON.
std::vector<KernelCounters> kernel_counters(const DeviceRank& devices, const std::vector<trace::EventIndex>& ranges,
                                            std::vector<std::map<std::string, std::string>> arguments);

/// rank, kernel, operators (joined by " > "; null where they cannot be told), counter, value: a row per range and
/// counter.
report::Sheet counters_sheet(const Interner& strings, const std::vector<KernelCounters>& rows);

}  // namespace orrery::analyze
