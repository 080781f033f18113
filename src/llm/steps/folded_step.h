// A step without its ranks: each stage once, each pass as long as its chain takes when every communication has the
// network to itself. A graph of passes and messages, solved once: what sweeps over thousands of plans need. Sharing of
// links between axes is what it cannot see.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "base/result.h"
#include "llm/steps/layer_schedule.h"
#include "llm/steps/pipeline_order.h"
#include "llm/steps/step_plan.h"

namespace orrery::llm {

/// One communication: a collective of the first group along an axis, or a message from a rank of a stage to its
/// neighbour in the next.
struct CommQuestion {
  bool is_message = false;
  workload::Collective collective = workload::Collective::all_reduce;
  ParallelAxis axis = ParallelAxis::tensor;
  std::int64_t bytes = 0;  ///< as workload::Program::bytes counts them

  friend auto operator<=>(const CommQuestion&, const CommQuestion&) = default;
};
using CommPrice = std::function<Result<TimePs>(const CommQuestion&)>;

struct FoldedStep {
  TimePs step_ps = 0;
  TimePs compute_ps = 0;  ///< of the stage that computes longest
  TimePs bubble_ps = 0;   ///< of the same stage: it neither computes nor communicates
};

struct FoldingOptions {
  std::int64_t eager_limit_bytes = std::numeric_limits<std::int64_t>::max();  ///< such messages wait for no receiver
  double exchange_slowdown = 1;  ///< of computing while tokens travel beside it
};

/// Exact, like the engine with isolated prices, where communication beside the chain of a pass ends before the next
/// pass needs its stream; else the step is at least as long as each stream is busy. The Error is that
/// of a price.
Result<FoldedStep> folded_step(const StepPlan& plan, const StepTimes& times,
                               const std::vector<std::vector<PassItem>>& orders, const CommPrice& price,
                               const FoldingOptions& options = {});

}  // namespace orrery::llm
