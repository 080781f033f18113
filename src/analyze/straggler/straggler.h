// What stragglers cost a training job, as the straggler study (OSDI '25) defines it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "match/operations/operation_graph.h"
#include "report/sheet.h"

namespace orrery::analyze {

struct StragglerStudy {
  double measured = 0, ideal = 0;  ///< mean length of a step, ps
  double workers_share = 0;        ///< M_W: what the slowest 3 % of the workers cost, of all that stragglers do
  double last_stage_share = 0;     ///< M_S: the same of the last stage
  struct Slowdown {
    std::string what = {};                ///< of operations
    std::int64_t rank = 0;                ///< of replicas, stages and workers: their number
    std::int64_t replica = 0, stage = 0;  ///< of workers
    double factor = 1;
  };
  std::vector<Slowdown> operations, replicas, stages, workers;
  struct Step {
    std::int64_t step = 0;
    double measured = 0, ideal = 0;
  };
  std::vector<Step> steps;

  [[nodiscard]] double slowdown() const { return ideal > 0 ? measured / ideal : 1; }
};

/// An Error if what depends on what has a circle.
Result<StragglerStudy> study_stragglers(const match::OperationGraph& graph, const std::string& path);

report::Sheet straggler_operations_sheet(const StragglerStudy& study);
report::Sheet straggler_replicas_sheet(const StragglerStudy& study);
report::Sheet straggler_stages_sheet(const StragglerStudy& study);
report::Sheet straggler_workers_sheet(const StragglerStudy& study);
report::Sheet straggler_steps_sheet(const StragglerStudy& study);

}  // namespace orrery::analyze
