// Edges between host events: the lock that runtime calls share, and the call stacks of threads.
#pragma once

#include <array>
#include <string_view>

#include "base/result.h"
#include "causal/hta/edge_list.h"

namespace orrery::causal::hta {

// Edges of device work: launches, the order on a stream, waits between streams, and host calls that wait for the
// device.

/// `zero_weight_launch_edges`: HTA's CRITICAL_PATH_ADD_ZERO_WEIGHT_LAUNCH_EDGE. Fails where HTA's assertion does.
Status add_device_edges(const Rows& rows, const Window& window, bool zero_weight_launch_edges, EdgeList& edges);

/// cudaHostAlloc, cudaLaunchKernel and cudaMemcpyAsync of all threads are taken to exclude each other.
void add_runtime_lock_edges(const Rows& rows, const Window& window, EdgeList& edges);

/// Calls whose own time is a wait, as HTA sees it: the edge to their end has no weight.
inline constexpr std::array<std::string_view, 6> kBlockingCalls = {
    "cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventQuery", "cudaEventSynchronize", "cudaMemcpy",
    "cudaMemcpyAsync"};

/// Walks the call stack of every host thread in time order. The thread that runs "autograd" is read as part of the one
/// that runs "forward".
void add_call_stack_edges(const Rows& rows, const Window& window, EdgeList& edges);

}  // namespace orrery::causal::hta
