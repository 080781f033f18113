// Which kernels take the time of the devices, as Sheets.
#pragma once

#include <string>
#include <vector>

#include "analyze/device/device_rank.h"
#include "analyze/device/kernel_sums.h"
#include "report/sheet.h"

namespace orrery::analyze {

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
