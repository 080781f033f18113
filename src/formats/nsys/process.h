// The processes of an export, each a rank if it used CUDA, while their rows are read.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/nsys/payloads.h"
#include "match/library_calls.h"
#include "trace/row_builder.h"
#include "trace/trace.h"

namespace orrery::nsys {

// globalTid and globalPid are one number: bits 0 to 23 the thread, 24 to 47 the process, 48 to 55 the virtual machine,
// 56 to 63 the hardware.

inline std::int64_t thread_of(std::int64_t global) { return global & 0xFFFFFF; }
inline std::int64_t process_of(std::int64_t global) { return global >> 24 & 0xFFFFFF; }
/// What is the same for all threads of a process, and for no other process.
inline std::uint64_t process_key(std::int64_t global) { return static_cast<std::uint64_t>(global) >> 24; }

/// What categories events have: the names that PyTorch's profiler uses, so that they mean the same.
enum class RowKind : std::uint8_t {
  kernel,
  copy,
  set,
  wait,
  runtime,
  driver,
  operation,
  annotation,
  mark,
  overhead,
};
inline constexpr std::size_t kRowKinds = 10;

/// A call of NCCL: an NVTX range of its domain, or of no domain that has a name.
struct NcclRange {
  trace::EventIndex event = 0;
  std::int64_t domain = 0;
  match::CallArguments arguments;
};

/// A kernel that NCCL launched.
struct NcclKernel {
  trace::EventIndex event = 0;
  std::int64_t correlation = -1;
  std::int64_t stream = 0;
  std::int64_t graph_node = 0;  ///< 0: it is no node of a graph
};

/// A row of CUPTI_ACTIVITY_KIND_CUDA_EVENT: a call recorded an event of the program.
struct EventRecord {
  std::int64_t sync = 0;  ///< eventSyncId: which recording of the event
  std::int64_t event = 0;
  std::int64_t correlation = 0;
  std::int64_t stream = 0;
};

/// Where a node of a CUDA graph was made.
struct GraphNode {
  std::int64_t original = 0;  ///< the node it is a copy of; 0: it is none
  std::int64_t at_ns = 0;
  std::int64_t thread = 0;
};

struct Process {
  Process(std::uint64_t key, Interner& strings);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  trace::LaneIndex thread_lane(std::int64_t thread, int row = 0) {
    return rows.lane({.number = number}, {.number = thread}, row);
  }
  trace::LaneIndex stream_lane(std::int64_t device, std::int64_t stream) {
    return rows.lane({.number = device}, {.number = stream}, kStreamRow);
  }
  std::uint16_t category(RowKind kind);
  [[nodiscard]] std::optional<EventRecord> find_record(std::int64_t sync, std::int64_t event,
                                                       std::int64_t before_correlation) const;
  /// Where the node, or what it is a copy of, was made.
  [[nodiscard]] const GraphNode* find_node(std::int64_t node) const;

  /// Device and thread numbers may be the same; their lanes are not.
  static constexpr int kStreamRow = 1;
  /// Ranges that end on another thread cross those of their own.
  static constexpr int kCrossingRow = 2;

  std::uint64_t key;
  std::int64_t number;  ///< the process id
  trace::RankTrace rank;
  trace::RowBuilder rows;
  bool uses_cuda = false;
  std::unordered_map<std::int64_t, std::int64_t> device_of_context;
  std::vector<EventRecord> by_sync, by_event;  ///< see sort_records
  std::unordered_map<std::int64_t, GraphNode> nodes;
  std::unordered_map<std::int64_t, std::string> domains;  ///< names of NVTX domains
  std::vector<NcclRange> nccl_ranges;
  std::vector<NcclKernel> nccl_kernels;

  void sort_records();

  /// NCCL's calls, and its kernels with the places where nodes of graphs were made.
  [[nodiscard]] std::vector<match::LibraryCall> library_calls() const;
  [[nodiscard]] std::vector<match::LibraryKernelWork> library_kernels() const;

 private:
  std::array<std::uint16_t, kRowKinds> categories_;
};

class Processes {
 public:
  explicit Processes(Interner& strings) : strings_(strings) {}

  /// Of a globalTid or globalPid; added if it is new.
  Process& of(std::int64_t global) {
    const std::uint64_t key = process_key(global);
    // Rows of processes that run side by side take turns.
    Process*& recent = recent_[key & (recent_.size() - 1)];
    if (recent == nullptr || recent->key != key) recent = &find(key);
    return *recent;
  }
  /// For rows that do not say it: the one with the lowest number.
  Process& first() { return all_.empty() ? find(0) : *all_.begin()->second; }
  /// By key.
  std::map<std::uint64_t, std::unique_ptr<Process>>& all() { return all_; }

 private:
  Process& find(std::uint64_t key);

  Interner& strings_;
  std::map<std::uint64_t, std::unique_ptr<Process>> all_;
  std::array<Process*, 64> recent_ = {};
};

}  // namespace orrery::nsys
