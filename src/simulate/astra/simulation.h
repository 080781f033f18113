// ASTRA-sim's analytical simulation of a workload, reproduced to the nanosecond.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/column.h"
#include "base/result.h"
#include "graph/workload.h"
#include "machine/astra_system.h"
#include "simulate/network_model.h"

namespace orrery::simulate::astra {

enum class Backend : std::uint8_t {
  unaware,          ///< messages never meet
  aware,            ///< messages queue at links; one dimension
  aware_multi_dim,  ///< the same for any number of dimensions
};

struct Options {
  Backend backend = Backend::unaware;
  bool use_symmetry = true;  ///< simulate one rank for all where that gives the same result
  std::function<void(std::uint64_t events)> on_progress = {};
  const std::atomic<bool>* cancelled = nullptr;
};

struct Outcome {
  std::vector<std::int64_t> finish_ns;        ///< per rank
  std::vector<std::int64_t> exposed_comm_ns;  ///< per rank: the finish less the time of its device computations
  Column<std::int64_t> start_ns, end_ns;      ///< per activity, numbered as by Workload::first_activities
  std::vector<LinkUse> links;                 ///< empty without contention or with symmetry
  std::vector<std::string> link_names;
  std::uint64_t events = 0;
  bool symmetric = false;  ///< one rank was simulated for all
};

/// Runs `workload` on as many ranks as the system has. Where ASTRA-sim aborts, hangs, or ends without having finished, the answer is the
/// right one or an Error that names the rank and node concerned. Deterministic.
Result<Outcome> simulate(const graph::Workload& workload, const machine::AstraSystem& system, const Options& options = {});

}  // namespace orrery::simulate::astra
