// What the engine needs to know about devices, beside the network.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

#include "base/result.h"
#include "base/units.h"

namespace orrery::simulate {

/// How long a compute activity takes.
enum class ComputeTime : std::uint8_t {
  recorded,  ///< Program::duration_ps
  roofline,  ///< the longer of operations at the peak rate and bytes at the memory's; as recorded where neither was
             ///< given
};

/// Of which ranks the schedule has the activities.
enum class Detail : std::uint8_t {
  every_rank,
  executed_ranks,  ///< one of each class of ranks that behave alike: what fits into memory when there are many
};

/// The same for every device. A program that was recorded on more threads or streams has as many slots as it had then.
struct EngineOptions {
  std::uint32_t compute_slots = 1;  ///< compute activities of a device at once
  std::uint32_t host_slots = 1;     ///< compute activities of a rank's host at once
  std::uint32_t memory_slots = 1;   ///< memory activities of a device at once

  ComputeTime compute_time = ComputeTime::recorded;
  double operations_per_second = 0;  ///< peak rate of a device, for the roofline
  double memory_bytes_per_second =
      0;  ///< of the device memory: for memory activities and the roofline; 0: memory activities as recorded
  TimePs launch_latency_ps = 0;  ///< added to every compute activity of a device
  /// While an all-to-all of its rank runs or waits for members, a compute activity of a device takes so many times as
  /// long (engine/slowed_computing.h); 1: not so. A replay takes what was recorded.
  double slowdown_beside_exchanges = 1;

  std::int64_t eager_limit_bytes =
      64 * 1024;                 ///< messages up to this size leave without waiting for their recv; -1: none does
  TimePs eager_overhead_ps = 0;  ///< how long an eager send keeps its sender

  /// As recorded instead: everything takes its recorded time and needs no slot, collectives of a communicator do not
  /// queue up, and of each collective and message the model is told what it took (CommOp::recorded_ps). An eager send
  /// takes its own time, and its message that of the shorter side, from when both are ready.
  bool replay = false;
  std::span<const TimePs> begins =
      {};  ///< by rank, at least 0: when it begins; empty: all at 0. Only with each rank executed

  bool use_symmetry = true;      ///< execute one rank for all that behave alike; off: for comparison
  bool use_steady_state = true;  ///< execute once what the job does again (engine/steady_state.h); off: for comparison
  /// Where classes have so many ranks on average, one operation is started for all that load the network alike
  /// (engine/started_operations.h); with fewer, finding them costs what it saves. 0: never, for comparison.
  std::size_t ranks_worth_folding = 32;
  bool use_lookahead = true;  ///< execute at once what a rank does by itself (engine/lookahead.h); off: for comparison
  Detail detail = Detail::every_rank;
  bool keep_causes =
      false;  ///< of a schedule that is kept: also why every activity started when it did (Schedule::causes)
  /// Of models that know flows: also when links carried their bytes (Schedule::link_series). Bins are parts of the
  /// makespan, so that the job runs a second time to fill them.
  bool keep_link_series = false;

  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress =
      {};                                     ///< executed activities; called every 65,536
  const std::atomic<bool>* cancel = nullptr;  ///< looked at between moments; true: stop with an Error

  /// At least one slot of each kind, rates and times that are finite and not negative, a peak rate if the roofline is
  /// asked for.
  [[nodiscard]] Status check() const;
};

}  // namespace orrery::simulate
