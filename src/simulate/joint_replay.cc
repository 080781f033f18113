#include "simulate/joint_replay.h"

#include "simulate/engine/engine.h"
#include "simulate/models/oracle_model.h"

namespace orrery::simulate {

Result<Schedule> replay_together(const workload::Workload& workload, const Column<TimePs>& begins,
                                 std::int64_t eager_limit_bytes) {
  OracleModel recorded([](const CommOp& op) -> Result<Price> { return Price{.total_ps = op.recorded_ps}; });
  EngineOptions options;
  options.replay = true;
  options.begins = {begins.data(), begins.size()};
  options.eager_limit_bytes = eager_limit_bytes;
  options.use_symmetry = false;  // every rank begins when it was recorded to
  return execute(workload, recorded, options);
}

}  // namespace orrery::simulate
