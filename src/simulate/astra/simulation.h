// ASTRA-sim's analytical simulation of a workload, reproduced to the nanosecond.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/astra_system.h"
#include "simulate/astra/custom_programs.h"
#include "simulate/schedule.h"
#include "workload/workload.h"

namespace orrery::simulate::astra {

enum class Backend : std::uint8_t {
  unaware,          ///< messages never meet
  aware,            ///< messages queue at links; one dimension
  aware_multi_dim,  ///< the same for any number of dimensions
};

struct Options {
  Backend backend = Backend::unaware;
  bool use_symmetry = true;  ///< simulate one rank for all where that gives the same result
  /// Durations as an execution trace would have them, so that a workload in memory takes what it takes as files.
  bool whole_microseconds = false;
  const CustomPrograms* custom =
      nullptr;                    ///< collectives that the system wants as they are written; null: it wants none
  bool keep_link_series = false;  ///< see EngineOptions::keep_link_series; where links are known
  std::function<void(std::uint64_t events)> on_progress = {};
  const std::atomic<bool>* cancelled = nullptr;
};

struct Outcome {
  Schedule schedule;  ///< with collectives; communication as ASTRA-sim counts it: whatever is not computation on the
                      ///< device, all of it exposed
  std::vector<std::string> link_names;  ///< none without contention or with symmetry
  std::uint64_t events = 0;
  bool symmetric = false;  ///< one rank was simulated for all
};

/// Runs `workload` on as many ranks as the system has. Where ASTRA-sim aborts, hangs, or ends without having finished,
/// the answer is the right one or an Error that names the rank and node concerned. Deterministic.
Result<Outcome> simulate(const workload::Workload& workload, const machine::AstraSystem& system,
                         const Options& options = {});

}  // namespace orrery::simulate::astra
