// get_frequent_cuda_kernel_sequences: which kernels, in which order, an operator leads to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "causal/hta/job_rows.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

struct KernelSequence {
  std::int64_t rank = 0;
  std::string operator_name = {};
  std::vector<std::string> kernels = {};
  std::size_t count = 0;
  TimePs device = 0;                             ///< of all its kernels
  TimePs host = 0;                               ///< of the operators
  std::vector<causal::hta::RowIndex> rows = {};  ///< of every occurrence the operator and all below it
};

/// The rows whose name contains `operator_name` and that lie as high in the call graph as any of them, with at least
/// `min_length` kernels below. The most frequent first. Fails where the call graph does.
Result<std::vector<KernelSequence>> kernel_sequences(const causal::hta::RankRows& rank, std::string_view operator_name,
                                                     std::size_t min_length);

/// "a -> b", as tables have lists of kernels.
std::string joined(const std::vector<std::string>& kernels);
report::Sheet sequences_sheet(const std::vector<KernelSequence>& sequences);

}  // namespace orrery::analyze::hta
