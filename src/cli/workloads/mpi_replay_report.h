// What a replay by MPI measured, told.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cli/frame/invocation.h"
#include "replay/mpi/against.h"
#include "replay/mpi/calibrate.h"
#include "replay/mpi/measured.h"

namespace orrery::cli {

struct MpiReplayAnswer {
  std::size_t ranks = 0;
  replay::Measured measured = {};
  double flops_per_ns = 0;                              ///< 0: computation was looking at the clock
  std::vector<replay::ComparedRow> against = {};        ///< --against
  std::optional<replay::Calibration> calibration = {};  ///< --calibrate
};

void report_mpi_replay(Invocation& invocation, const MpiReplayAnswer& answer);

}  // namespace orrery::cli
