// Which kernels take the time of the devices, as Sheets.
#pragma once

#include <vector>

#include "analyze/device/kernel_sequences.h"
#include "analyze/device/kernel_sums.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// Of these ranks:
///   types               over all ranks: what ran at the same time ("computation overlapping communication"); adds up to the busy time
///   type_totals         per rank and type: number of works, the sum of their times, the time in which any ran
///   kernels             per rank: the largest names, then one row for the rest
///   kernels_over_ranks  the same of all calls of all ranks
///   by_annotation       per rank and annotation that work was launched in; every piece of work is in one row
std::vector<report::Sheet> kernel_sheets(const std::vector<RankKernels>& ranks, const std::vector<KernelSum>& over_ranks);

/// Their places in that list.
inline constexpr std::size_t kTypesOfKernels = 0, kTypeTotals = 1, kKernelsOfRanks = 2, kKernelsOverRanks = 3, kKernelsByAnnotation = 4;

/// sequences: rank, operator, count, device_us, host_us and, `with_kernels`, the names joined by " -> ": programs get them as a list.
report::Sheet sequences_sheet(const Interner& strings, const std::vector<KernelSequence>& sequences, bool with_kernels);

/// "a -> b": names in a row, as people and tables have them.
std::string joined_names(const Interner& strings, const std::vector<StringId>& names);

}  // namespace orrery::analyze
