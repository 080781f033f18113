// Which kernels, copies and sets take the time of the devices: by name, by type, by the annotation they were launched
// in.
#pragma once

#include <string>
#include <vector>

#include "analyze/device/breakdown.h"
#include "analyze/device/device_rank.h"
#include "analyze/distribution.h"

namespace orrery::analyze {

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

}  // namespace orrery::analyze
