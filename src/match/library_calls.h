// Which call of a library of communication (NCCL, RCCL) each of its kernels is of, and what that call says: for
// recorders that have the library's calls as ranges on host threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/interner.h"
#include "trace/trace.h"

namespace orrery::match {

/// What a call says; what it does not have is not set.
struct CallArguments {
  std::optional<std::uint64_t> communicator = {};
  bool is_local = false;                      ///< `communicator` means something in its own process only
  std::optional<std::int64_t> bytes = {};     ///< that this rank sends or receives
  std::optional<std::int64_t> elements = {};  ///< the same counted in elements of `dtype`
  std::string_view dtype = {};                ///< a text that is never freed; empty: not known
  std::optional<std::int64_t> peer = {};      ///< of a message, by its place in the communicator
  std::optional<std::int64_t> root = {};      ///< the same of a collective
  std::optional<std::int64_t> ranks = {};     ///< of the communicator that is made
  std::optional<std::int64_t> rank = {};      ///< the place of this process in it
};

/// A call of the library, recorded as a range.
struct LibraryCall {
  trace::EventIndex event = 0;
  CallArguments arguments = {};
};

/// A kernel that the library launched.
struct LibraryKernelWork {
  trace::EventIndex event = 0;
  std::int64_t correlation = -1;
  std::int64_t stream = 0;
  /// Where and when the node of a CUDA graph that it is was made; none: it is no node, or nobody recorded it.
  std::optional<trace::LaneIndex> made_on = {};
  TimePs made_at = 0;
};

/// A kernel of the library as a communication.
struct LibraryWork {
  trace::EventIndex event = 0;
  std::int64_t stream = 0;
  std::string_view kind = {};  ///< allreduce, send, ...
  CallArguments arguments = {};
  std::int64_t sends = 0, receives = 0;  ///< of a group: how many
};

/// What PyTorch's profiler calls a communication of this name: "ncclAllReduce", "ncclDevKernel_AllGather_RING_LL".
/// Empty if the name says none.
std::string_view kind_in_name(std::string_view name);

/// A kernel belongs to the innermost call around its launch, on the thread of the launch; one in a graph to that around
/// the making of its node. Around ncclGroupEnd there are the calls since ncclGroupStart: its kernel does all of them,
/// so its bytes are their sum and its kind that of the first; of several kernels each does the calls of one
/// communicator. Kernels of which neither a call nor their name says what they do are left out. In order of launch.
/// O(calls log calls).
std::vector<LibraryWork> find_library_works(const Interner& strings, const trace::RankTrace& rank,
                                            std::span<const LibraryCall> calls,
                                            std::span<const LibraryKernelWork> kernels);

/// The communicators that calls made this process a member of, in their order.
std::vector<CallArguments> find_memberships(std::span<const LibraryCall> calls);

}  // namespace orrery::match
