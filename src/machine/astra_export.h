// A machine in ASTRA-sim's words, as far as it has words for it.
#pragma once

#include <string>

#include "base/result.h"
#include "machine/astra_system.h"
#include "machine/machine.h"

namespace orrery::machine {

struct AstraFiles {
  std::string network_yaml;
  std::string system_json;
  std::string memory_json;
  bool raised_endpoint_delay =
      false;  ///< the machine's messages cost nothing, which ASTRA-sim cannot run: it was given 1 ns
};

struct ExportedAstraSystem {
  AstraSystem system;
  bool raised_endpoint_delay = false;  ///< as in AstraFiles
};

/// Rings, full connections and switches without faults only; an Error names the dimension that is something else.
/// Algorithms that ASTRA-sim does not have become rings.
Result<ExportedAstraSystem> to_astra_system(const Machine& machine);

/// The same as files: read back, they are that system.
Result<AstraFiles> to_astra(const Machine& machine);

}  // namespace orrery::machine
