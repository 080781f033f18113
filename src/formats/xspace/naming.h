// What the names in an XSpace say: which planes and lines are of the device, which events are collectives, which node a
// file is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orrery::xspace {

/// What planes without a device are called by in a merged file, before the number of their node: merge.h.
inline constexpr std::string_view kMergedPlanePrefix = "/device:CUSTOM:node";
/// The name of a plane without what merging has added: "/device:CUSTOM:node3/host:CPU" -> "/host:CPU".
std::string_view original_plane_name(std::string_view name);

enum class LineKind : std::uint8_t {
  host,            ///< a thread, its TraceMe events and Python frames
  host_api,        ///< calls into the runtime as the device tracer saw them ("Host Threads/671")
  stream,          ///< work of a GPU stream ("Stream #16(Kernel)")
  device_ops,      ///< operations of a TPU core ("XLA Ops")
  device_async,    ///< transfers that run beside the operations ("Async XLA Ops")
  device_derived,  ///< made by the profiler out of the other lines ("Steps", "XLA Modules", and on GPUs also "XLA Ops")
  device_other,
};

inline bool is_device_line(LineKind kind) { return kind >= LineKind::stream; }
/// Also for the planes of a merged file, whose names say which node they are of.
LineKind line_kind(std::string_view plane_name, std::string_view line_name);

/// "/device:GPU:3" -> 3, "/device:TPU:0 SparseCore 1" -> 0.
std::optional<std::int64_t> device_number(std::string_view plane_name);

enum class CollectivePart : std::uint8_t {
  whole,
  start,  ///< the operation that sets off an asynchronous collective
};

struct CollectiveName {
  std::string_view kind = {};  ///< allreduce, all_gather, ...: see reader.h; empty: no collective
  CollectivePart part = CollectivePart::whole;
};

/// "all-reduce.3" and "%all-reduce = f32[8]{0} all-reduce(...)" -> allreduce; "all-gather-start.1" -> the start of an
/// all_gather; "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL" -> reduce_scatter. Not "all-reduce-done", whose start says
/// as much, nor "all-reduce-simplifier", a pass of the compiler.
CollectiveName collective_of(std::string_view event_name);
/// A kernel of a communication library whose name does not say what it does: "ncclDevKernel_Generic_1".
bool is_communication_kernel(std::string_view event_name);

/// The name of an HLO operation in the text of the instruction: "%fusion.2 = f32[8]{0} fusion(...)" -> "fusion.2".
/// Other names stay.
std::string_view operation_name(std::string_view event_name);

/// The value of an attribute in the text of an HLO instruction, with its brackets; empty if it has none:
/// "%p.1 = f32[8]{0} collective-permute(f32[8]{0} %x), channel_id=1, source_target_pairs={{0,1},{1,0}}" has for
/// "source_target_pairs"
/// {{0,1},{1,0}}. Also attributes that end so (_xla_send_recv_source_target_pairs).
std::string_view instruction_attribute(std::string_view text, std::string_view attribute);

/// "size:4096 dest:0 async:1", "kind:unknown num_bytes:4 async:0" -> the number of bytes.
std::optional<std::int64_t> bytes_in_details(std::string_view details);

/// Whether a file that begins like this (some 64 bytes, inflated) can be an XSpace. No JSON text can.
bool looks_like_xspace(std::string_view first_bytes);

}  // namespace orrery::xspace
