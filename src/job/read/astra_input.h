// A machine as ASTRA-sim describes it: three files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "machine/astra_export.h"
#include "machine/astra_system.h"
#include "workload/workload.h"

namespace orrery::job {

struct AstraInput {
  std::string network, system;
  std::string memory = {};  ///< empty: there is none

  [[nodiscard]] std::vector<std::string> files() const;
};

/// What the files say, for our own simulations.
Result<machine::AstraSystem> read_astra_system(const AstraInput& input, Diagnostics& diagnostics);

/// The collectives that the system wants as execution traces. Their names are as ASTRA-sim takes them: from where the
/// program runs; where there are none, from the folder of `input.system`.
Result<std::map<std::string, workload::Workload>> read_custom_collectives(const machine::AstraSystem& system,
                                                                          const AstraInput& input);

/// The files as they are, for an ASTRA-sim that reads them itself.
Result<machine::AstraFiles> read_astra_files(const AstraInput& input);

}  // namespace orrery::job
