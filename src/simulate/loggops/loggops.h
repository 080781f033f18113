// Simulation of a workload with the LogGOPS model of the network, as LogGOPSim does it. docs/NETWORK_CHARGES.md tells
// the model and the order of events, docs/NETWORK_EVIDENCE.md the differences.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "simulate/loggops/collectives.h"
#include "simulate/loggops/operations.h"
#include "simulate/loggops/parameters.h"
#include "simulate/schedule.h"
#include "workload/workload.h"

namespace orrery::simulate::loggops {

/// Which of a rank's processors an activity occupies. One processor does one thing at a time.
enum class Placement : std::uint8_t {
  as_given,  ///< Program::cpus: GOAL schedules
  by_kind,   ///< computation, communication and memory each have their own: device traces, where they overlap
};

struct Options {
  Parameters parameters = {};
  CollectiveOptions collectives = {};
  Placement placement = Placement::as_given;
  DurationOf duration_of = {};  ///< of activities other than communication; none: as recorded
  /// LogGOPSim sorts what becomes free together by kind with an unstable sort. From 17 operations on this mixes up
  /// receives, and schedules that send twice between the same ranks under one tag (its own allreduce_ring from 10 ranks
  /// on) may never end. This does the same, provided the standard library sorts as GCC's does.
  bool compat_loggopsim = false;
};

struct Simulation {
  Schedule schedule;         ///< activities numbered as in the workload; no links
  std::uint64_t events = 0;  ///< operations and messages, after collectives were replaced by messages
};

/// An Error if the parameters or the workload cannot be simulated, or if it does not end: then it names who waits for
/// what (receives without a message, messages without a receive).
Result<Simulation> simulate(const workload::Workload& workload, const Options& options);

}  // namespace orrery::simulate::loggops
