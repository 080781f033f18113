// get_temporal_breakdown: how long the devices are idle, computing, or busy with something else.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "base/result.h"
#include "causal/hta/job_rows.h"
#include "causal/hta/kernel_type.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

// get_gpu_kernel_breakdown, first table: time by the types of kernels that run, alone and overlapping.

/// Summed over ranks, in descending order. Without `with_memory`, copies and sets are left out.
report::Sheet kernel_types_sheet(const causal::hta::JobRows& job, bool with_memory);

// When something was going on: rows merged to intervals, and several kinds swept over time.

struct Interval {
  TimePs begin, end;
};

/// By begin, equal ones in the order given; one that begins after all ends before it opens a new interval, others
/// extend the last. Those that touch join. Negative lengths are what they are.
std::vector<Interval> merged(std::vector<Interval> intervals);
TimePs length(std::span<const Interval> intervals);

/// The rows of the frame that have a stream, in its order; those of one type only, where one is given.
std::vector<Interval> device_intervals(const causal::hta::RankRows& rank);
std::vector<Interval> device_intervals(const causal::hta::RankRows& rank, causal::hta::KernelTypes& types,
                                       causal::hta::KernelType type);

/// Time by which kinds are going on: bit i of the key is kinds[i], each merged. At one moment earlier kinds change
/// first, and of a kind beginnings come before ends. A key is there also if its time is 0.
std::map<int, TimePs> sweep(std::span<const std::vector<Interval>> kinds);

// get_comm_comp_overlap: how much of the time of communication also computes.

/// A row per rank; null without communication.
report::Sheet overlap_sheet(const causal::hta::JobRows& job);

/// A row per rank. Fails if a rank has no device row, or if negative durations make a part exceed the whole.
Result<report::Sheet> temporal_sheet(const causal::hta::JobRows& job);

}  // namespace orrery::analyze::hta
