// What one rank did as a Program: a profiler trace, and the host trace of the same run if there is one, turned into
// activities with dependencies that replay to the measured time. The graph a simulator needs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/column.h"
#include "base/diagnostics.h"
#include "base/result.h"
#include "causal/host/coverage.h"
#include "causal/step_window.h"
#include "match/host_work.h"
#include "trace/host_arguments.h"
#include "trace/host_trace.h"
#include "trace/trace.h"
#include "workload/workload.h"

namespace orrery::causal {

/// Why one activity comes after another.
enum class DependencyCause : std::uint8_t {
  call_order,       ///< the same thread did it before
  thread,           ///< another thread did it: work was handed over, or back
  launch,           ///< the host asked for it
  stream_order,     ///< the same stream did it before
  stream_wait,      ///< another stream did it, and was waited for
  synchronization,  ///< the host waited for the device
  parent,           ///< the operator that calls it (control)
  backward,         ///< the forward operator of a backward one (control)
  tensor,           ///< it wrote what this one reads
};
inline constexpr std::size_t kDependencyCauses = 9;
const char* to_string(DependencyCause cause);

struct LinkOptions {
  WindowRequest window{"", std::nullopt, std::nullopt};  ///< the whole trace unless said otherwise
  double least_coverage_percent =
      10;  ///< of host rows matched; below this the traces are of different runs, which is an Error
  /// Starts and durations in whole microseconds, the unit of Chakra's files, rounded such that sums along a path stay
  /// right.
  bool whole_microseconds = false;
  const trace::HostArguments* arguments =
      nullptr;  ///< of the host trace; null: no tensor dependencies, no sizes of host collectives
  /// Process groups that the host trace names, names in the table of texts of the trace; without ranks: all.
  std::vector<workload::CommGroup> groups = {};
  /// What the host of the rank communicated itself, with groups whose names are in the table of texts of the trace
  /// (match/host_work.h).
  std::span<const match::HostWork> host_work = {};
};

struct LinkedRank {
  /// Dependency::data is what has to have ended; Dependency::control (who called it, whose backward it is) is implied
  /// by it.
  workload::Program program;       ///< texts in the table given to link_rank; ids count from 1
  Column<std::uint32_t> host_row;  ///< per activity: into the host trace; of device work that of the operator; kNoRow
  Column<std::uint32_t> event;     ///< per activity: the event of the profiler trace it comes from; kNoEvent
  std::vector<workload::CommGroup> groups;  ///< other than all ranks, as far as used
  Coverage coverage;
  std::int64_t rank = 0;
  std::int64_t epoch_us = 0;  ///< what TimePs 0 of Program::starts_ps means on the profiler's clock
  TimePs begin_ps = 0;        ///< of the window
  TimePs measured_ps = 0;     ///< the window as recorded
  TimePs replayed_ps = 0;     ///< the program executed from dependencies and durations alone
  std::array<std::size_t, kDependencyCauses> dependencies{};  ///< by cause
  std::size_t cut_edges = 0;  ///< inferred dependencies that were left out because they lead back in time

  [[nodiscard]] double residual_percent() const;
};

/// `host` may be null: then there are no operators' shapes and tensors. `host` must have been read with the table of
/// texts of `trace`, and `rank` with record-function ids; texts of the program go to `strings`, which may be that same
/// table.
Result<LinkedRank> link_rank(const trace::Trace& trace, const trace::RankTrace& rank, const trace::HostTrace* host,
                             Interner& strings, const LinkOptions& options, Diagnostics& diagnostics);

}  // namespace orrery::causal
