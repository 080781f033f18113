// A workload executed by the processes of a team, one rank each, through MPI.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/team/process_team.h"
#include "mpi_plugin/replay_plugin.h"
#include "replay/mpi/replay_plan.h"
#include "simulate/schedule.h"

namespace orrery::replay {

// Why a replay does not get on, in a sentence.

/// Names the first operation that somebody waits in for a rank that did not reach it: the collective with its
/// communicator and the ranks that are missing, or the message with its other side; and what those wait for themselves.
/// `plan` null: only the ranks are known.
std::string describe_stall(const ReplayPlan* plan, std::span<const OrreryReplayStall> stalls, double timeout_s);

struct MpiReplayOptions {
  std::uint32_t warm_ups = 1;     ///< runs before those that count: pages, connections, calibration of MPI itself
  std::uint32_t repeats = 3;      ///< at least 1
  bool uses_flops = false;        ///< computation is arithmetic, not looking at the clock
  double timeout_s = 60;          ///< without progress on any rank
  std::string trace_prefix = {};  ///< the last run is recorded in PREFIX.RANK.mpitrace; empty: none is
};

/// When what happened, on the clock of process 0.
class MeasuredRun {
 public:
  MeasuredRun(std::uint32_t repeats, std::vector<std::vector<std::int64_t>> times, double flops_per_ns)
      : repeats_(repeats), times_(std::move(times)), flops_per_ns_(flops_per_ns) {}

  [[nodiscard]] std::uint32_t repeats() const { return repeats_; }
  /// Of the slowest rank's arithmetic; 0 if none was asked for.
  [[nodiscard]] double flops_per_ns() const { return flops_per_ns_; }
  /// From the first rank's beginning to the last one's end.
  [[nodiscard]] TimePs makespan_ps(std::uint32_t repeat) const;
  /// All of it, in the form of a simulated one.
  [[nodiscard]] simulate::Schedule schedule(const workload::Workload& workload, std::uint32_t repeat) const;

 private:
  [[nodiscard]] std::int64_t begin_ns(std::uint32_t repeat) const;

  std::uint32_t repeats_;
  std::vector<std::vector<std::int64_t>> times_;  // by rank, as OrreryReplayResult has them
  double flops_per_ns_;
};

/// As many processes as ranks. Ends all processes, with a sentence, if nothing gets on any more.
Result<MeasuredRun> replay_on_team(ProcessTeam& team, const ReplayPlan& plan, const MpiReplayOptions& options);

/// What the other processes do for it.
JointTaskKind mpi_replay_task();

}  // namespace orrery::replay
