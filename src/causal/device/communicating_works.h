// Which device work communicates with other ranks: what breakdown, path and the page mean by communication of a device.
//
// In this order, the first that says anything:
// - Recorded: the work is a collective or message of match/: it takes part in Exchanges, whatever it is called.
// - Launch: the innermost operator around its launch asks for communication (c10d::allreduce_, record_param_comms).
// - Entry: its name is that of a library's entry kernel (ncclDevKernel_AllReduce_Sum_f32_RING_LL): who calls such a
//   library without PyTorch (CUDA graphs, vLLM's pynccl) leaves no other trace.
// - Name: its name mentions a library (ncclX), and nothing is known to the contrary: neither an operator that launched
//   it for other ends, nor that this rank's communications are recorded, of which it is none.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "causal/device/device_timeline.h"

namespace orrery::causal {

/// Whether the kernels of an operator of that name move data between ranks. record_param_comms is what PyTorch writes
/// around the launch of a collective.
bool asks_for_communication(std::string_view name);

/// Whether the operators that launched work can tell anything about communication: most traces of one device know no
/// collective at all. O(texts).
bool operators_may_tell_communication(const Interner& strings);

/// Per work 1 if it communicates, else 0. `operators`: of causal::launching_operators; empty if they were not looked
/// for, which is enough where they cannot tell anything. Copies and sets are none: their category decides. O(works).
std::vector<std::uint8_t> communicating_works(const trace::Trace& trace, const trace::RankTrace& rank,
                                              const DeviceTimeline& timeline,
                                              std::span<const trace::EventIndex> operators);

/// The same; looks for operators where these may tell. O(events).
std::vector<std::uint8_t> communicating_works(const trace::Trace& trace, const trace::RankTrace& rank,
                                              const DeviceTimeline& timeline, const trace::ContentOrder& content);

}  // namespace orrery::causal
