// What names say about communication: which collective or message, done by whom, of elements of which size.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/column.h"
#include "base/interner.h"
#include "trace/trace.h"
#include "workload/workload.h"

namespace orrery::match {

// Which events of a rank matter to those who join ranks: a small part of a trace, which can be kept when the rest is
// not.

/// By event, 1 for what find_exchanges and the estimate of clocks look at: communications, the calls that asked for
/// them, readings of two clocks, and where the recording begins and ends on each of its clocks. A trace of these alone
/// (trace::select_events) has the same Exchanges and the same clocks. O(events).
Column<std::uint8_t> communication_events(const trace::Trace& trace, const trace::RankTrace& rank);

struct CommunicationKind {
  workload::ActivityKind kind = workload::ActivityKind::collective;  ///< collective, send or recv
  workload::Collective collective = workload::Collective::all_reduce;
  friend bool operator==(const CommunicationKind&, const CommunicationKind&) = default;
};

/// What a name says: "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "_allgather_base", "gloo:reduce", "c10d::recv_".
/// Nothing for "ncclDevKernel_SendRecv", which may be a message or an all-to-all.
std::optional<CommunicationKind> communication_kind(std::string_view name);

/// Bytes of one element: "Float", "float" and "float32" 4, "BFloat16" and "c10::BFloat16" 2; 0 if unknown.
std::int64_t element_bytes(std::string_view dtype);

/// What the name of a kernel says about libraries of communication (NCCL, RCCL, HCCL, MSCCL).
enum class LibraryKernel : std::uint8_t {
  none,
  mentioned,  ///< "ncclX_quantize": it has a library in its name, and may do anything
  entry,  ///< "ncclDevKernel_Generic", "ncclAllReduceRingLLKernel_sum_f32": what the library launches to communicate
};
LibraryKernel library_kernel(std::string_view kernel_name);

/// c10d::allreduce_, gloo:all_reduce, nccl:all_reduce, ...: an operator or annotation that is about communication.
bool names_communication(std::string_view name);

/// Whether some text is the name of a communication, or of a kernel that does it: whoever recorded these names was not
/// alone.
bool names_any_communication(const Interner& strings);

/// c10d::allreduce_: the call that asks for a communication, whoever does it then.
inline bool is_call_of_communication(std::string_view name) { return name.starts_with("c10d::"); }

/// c10d::recv_any_source_: a receive that takes whatever message comes.
inline bool is_receive_from_any(std::string_view call) { return call.starts_with("c10d::recv_any_source"); }

/// gloo:all_reduce: communication that threads of the host do themselves, and whose interval is the communication.
/// (nccl:all_reduce is only the launch of a kernel.)
inline bool is_host_communication(std::string_view name) {
  return name.starts_with("gloo:") || name.starts_with("mpi:") || name.starts_with("ucc:");
}

}  // namespace orrery::match
