// A machine in ASTRA-sim's words, as far as it has words for it.
#pragma once

#include "base/result.h"
#include "machine/machine.h"

namespace orrery::machine {

struct AstraFiles {
  std::string network_yaml;
  std::string system_json;
  std::string memory_json;
  bool raised_endpoint_delay = false;  ///< the machine's messages cost nothing, which ASTRA-sim cannot run: it was given 1 ns
};

/// Rings, full connections and switches only; an Error names the dimension that is something else. Algorithms that ASTRA-sim does not have
/// become rings.
Result<AstraFiles> to_astra(const Machine& machine);

}  // namespace orrery::machine
