// Which kernels, copies and sets take the time of the devices: by name, by type, by the annotation they were launched
// in.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyze/device/breakdown.h"
#include "analyze/device/device_rank.h"
#include "analyze/distribution.h"
#include "report/sheet.h"

namespace orrery::analyze {

// Hardware counters of kernels, with the operators that launched them.
//
// A profiler of ranges runs kernels one by one and writes a range for each, in order, with times that mean nothing. So
// the n-th range is of the n-th launch of a kernel, by any runtime or driver, if there are as many of both; else nobody
// can tell, and the operators are left open.

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

/// One name, or all those that are not listed. Statistics are of calls, always.
struct KernelSum {
  StringId name = 0;
  WorkType type = WorkType::computation;
  bool is_rest = false;   ///< all that are not listed; then `name` and `type` mean nothing
  std::size_t names = 1;  ///< that it stands for
  Distribution calls;     ///< as far as they lie in the window
};

/// What comes first.
enum class KernelOrder : std::uint8_t { time, calls, mean, longest };

struct AnnotationKernels {
  StringId annotation = 0;
  bool is_none = false;  ///< launched in no annotation
  std::size_t works = 0;
  TimePs time = 0;
};

struct RankKernels {
  const DeviceRank* devices = nullptr;
  std::vector<DeviceTime> times;  ///< see RankBreakdown; without reasons of idle time, and without memory as if only
                                  ///< the rest had been recorded
  std::array<std::size_t, kWorkTypes> works = {};
  std::array<TimePs, kWorkTypes> time = {};      ///< sums over work: concurrent work counts for each
  std::vector<KernelSum> sums;                   ///< the largest first, ties by name and type; then the rest
  std::vector<AnnotationKernels> by_annotation;  ///< by time, the largest first, then by name
};

struct KernelRequest {
  std::size_t top = 10;  ///< 0: all
  KernelOrder order = KernelOrder::time;
  bool with_memory = true;  ///< copies and sets too
};

std::vector<RankKernels> sum_kernels(const std::vector<DeviceRank>& ranks, const KernelRequest& request);

/// The same names over all ranks: statistics of all calls.
std::vector<KernelSum> sum_over_ranks(const std::vector<DeviceRank>& ranks, const KernelRequest& request);

// Which kernels take the time of the devices, as Sheets.

// Which kernels an operator launches, in which order, and how often that order came.

struct KernelSequence {
  std::int64_t rank = 0;
  StringId op = 0;
  std::vector<StringId> kernels;  ///< in order of start, over all streams and devices
  std::size_t count = 0;
  TimePs device_time = 0;
  TimePs host_time = 0;
};

/// Of operators and annotations whose name is `pattern` (* and ? stand for any text and letter), the outermost of each
/// thread, wherever they are; those with fewer than `least` kernels, copies and sets are left out. By rank, then the
/// most frequent first, then by names.
std::vector<KernelSequence> kernel_sequences(const std::vector<DeviceRank>& ranks, const std::string& pattern,
                                             std::size_t least);

/// Over all ranks: what ran at the same time ("computation overlapping communication"); adds up to the busy time.
report::Sheet types_sheet(const std::vector<RankKernels>& ranks);
/// Per rank and type: number of works, the sum of their times, the time in which any ran.
report::Sheet type_totals_sheet(const std::vector<RankKernels>& ranks);
/// Per rank: the largest names, then one row for the rest.
report::Sheet kernels_sheet(const std::vector<RankKernels>& ranks);
/// The same of all calls of all ranks.
report::Sheet kernels_over_ranks_sheet(const Interner& strings, const std::vector<KernelSum>& over_ranks);
/// Per rank and annotation that work was launched in; every piece of work is in one row.
report::Sheet by_annotation_sheet(const std::vector<RankKernels>& ranks);

/// sequences: rank, operator, count, device_us, host_us and, `with_kernels`, the names joined by " -> ": programs get
/// them as a list.
report::Sheet sequences_sheet(const Interner& strings, const std::vector<KernelSequence>& sequences, bool with_kernels);

/// "a -> b": names in a row, as people and tables have them.
std::string joined_names(const Interner& strings, const std::vector<StringId>& names);

}  // namespace orrery::analyze
