// A process that ROCm's profiler recorded, while its records are read; each is a rank.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/interner.h"
#include "base/result.h"
#include "match/communicators.h"
#include "match/library_calls.h"
#include "trace/row_builder.h"
#include "trace/trace.h"

namespace orrery::rocprof {

/// What a call of the host is, by the name of its kind: HIP_RUNTIME_API_EXT, MARKER_CORE_RANGE_API, RCCL_API.
enum class ApiKind : std::uint8_t { runtime, marker, library, other };
ApiKind api_kind(std::string_view kind);

/// Times of a record.
struct Span {
  std::int64_t start_ns = 0, end_ns = 0;
};

/// Where device work ran, and which call launched it.
struct DevicePlace {
  std::int64_t device = 0;
  std::int64_t stream = 0;
  std::int64_t correlation = 0;  ///< 0: not recorded
};

class Process {
 public:
  /// `strings` must stay where they are until finish(). Times of records count from `base_ns` of the boot clock.
  Process(std::int64_t number, std::int64_t base_ns, Interner& strings);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Each returns false, and adds nothing, if the times cannot be used.

  bool add_kernel(Span span, StringId name, const DevicePlace& place);
  bool add_copy(Span span, std::string_view kind, std::int64_t bytes, const DevicePlace& place);
  /// `name`: of a marker its message. `correlation`: by which device work knows the call.
  bool add_call(ApiKind kind, Span span, std::string_view name, std::int64_t thread, std::int64_t correlation,
                const match::CallArguments& arguments = {});
  bool add_instant(std::int64_t at_ns, std::string_view name, std::int64_t thread);
  /// Of the kernel added last: how many blocks, and threads of a block.
  void set_extents(const std::int64_t (&threads)[3], const std::int64_t (&block)[3]);

  void name_thread(std::int64_t thread, std::string_view name);
  void add_device(std::int64_t number, std::string_view name);

  /// Marks steps, names lanes, and finds what the library of communication did. To be called once, after the last
  /// record and before the file's texts move.
  void finish();

  std::int64_t number;  ///< the process id
  trace::RankTrace rank;
  match::LibraryRank library;  ///< once it is finished

 private:
  bool add(Span span, StringId name, trace::LaneIndex lane, std::uint16_t category);
  bool is_of_library(StringId name);
  trace::LaneIndex stream_lane(const DevicePlace& place);
  void set_place(const DevicePlace& place);

  std::int64_t base_ns_;
  Interner& strings_;
  trace::RowBuilder rows_;
  std::vector<match::LibraryCall> calls_;
  std::vector<match::LibraryKernelWork> kernels_;
  std::vector<std::uint8_t> of_library_;  // by text: no, yes, 2: not looked at
  std::vector<std::pair<std::int64_t, StringId>> thread_names_;
};

/// Recordings count from when the machine was started, which may be years: their epoch is a whole second of that clock.
inline constexpr std::int64_t kNsPerSecond = 1'000'000'000;

/// A file that was read; its processes are finished.
struct ReadFile {
  Interner strings;
  Diagnostics diagnostics;
  std::vector<std::unique_ptr<Process>> processes;
};

/// The job of all files: processes become ranks, in the order of their process ids unless RCCL or the names of files
/// tell. Files of different machines may be on clocks that are far apart.
Result<trace::Trace> join(const std::vector<std::string>& paths, std::vector<ReadFile> files, Diagnostics& diagnostics);

}  // namespace orrery::rocprof
