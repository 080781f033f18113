#include "simulate/collective/options.h"

#include <cmath>

namespace orrery::simulate {

CommOptions comm_options(const machine::Communication& communication) {
  const auto to_ps = [](double us) { return static_cast<TimePs>(std::llround(us * static_cast<double>(kPsPerUs))); };
  CommOptions options{.launch_overhead_ps = to_ps(communication.launch_overhead_us),
                      .message_overhead_ps = to_ps(communication.message_overhead_us),
                      .rendezvous_above_bytes = communication.rendezvous_threshold_bytes};
  for (std::size_t i = 0; i < workload::kCollectives; ++i) {
    const Algorithm algorithm = communication.collective_algorithm;
    options.algorithms[i] = can_do(algorithm, static_cast<workload::Collective>(i)) ? algorithm : Algorithm::automatic;
  }
  return options;
}

}  // namespace orrery::simulate
