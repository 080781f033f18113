#include "llm/steps/step_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "llm/attention.h"
#include "machine/device/interference.h"
#include "report/counted.h"

namespace orrery::llm {
std::uint32_t StepPlan::first_layer(std::uint32_t part) const {
  const std::uint32_t count = parts(), each = layers() / count, more = layers() % count;
  if (part == 0 || more == 0) return each * part;
  // The layers left over go to parts 1, 2, ..., count - 2; the first part gets one only if all of those have theirs,
  // the last never.
  const bool first_has_one = more == count - 1;
  return each * part + (first_has_one ? 1 : 0) + std::min(part - 1, std::min(more, count - 2));
}

std::vector<workload::Axis> layout_of(const StepPlan& plan, ParallelAxis axis) {
  const auto whole = [](double value) { return static_cast<std::uint32_t>(value); };
  const std::uint32_t tensor = whole(plan.job.tensor), context = whole(plan.job.context),
                      expert = whole(plan.job.expert);
  const workload::Axis along_tensor{tensor, 1}, along_pipeline{plan.stages(), plan.stage_ranks()};
  switch (axis) {
    case ParallelAxis::tensor: return {along_tensor};
    case ParallelAxis::context: return {{context, tensor}};
    case ParallelAxis::expert: return {{expert, 1}};
    case ParallelAxis::pipeline: return {along_pipeline};
    case ParallelAxis::data: return {{context * whole(plan.job.data), tensor}};
    case ParallelAxis::expert_data: return {{plan.stage_ranks() / expert, expert}};
    case ParallelAxis::model: return {along_tensor, along_pipeline};
  }
  return {};
}

double ranks_along(const StepPlan& plan, ParallelAxis axis) {
  double ranks = 1;
  for (const workload::Axis& one : layout_of(plan, axis)) ranks *= one.size;
  return ranks;
}

double exchange_slowdown(const StepPlan& plan, const machine::Device& device) {
  // Where nobody sends tokens to experts, the ends of all computing are known when it begins, and the engine may look
  // ahead.
  if (!plan.overlap.slowdown || !plan.model.experts || ranks_along(plan, ParallelAxis::expert) <= 1) return 1;
  return machine::slowdown_beside_exchanges(
      device, plan.dispatch == Dispatch::all_to_all ? machine::kAllToAllUnits : machine::kForwardingUnits);
}

double active_parameters(const Architecture& m) {
  const double attention = parameters_of_all(attention_projections(m, 1));
  const double matrices = m.plain_mlp ? 2 : 3;
  const double layers = m.layers + m.prediction_layers, dense = m.experts ? m.experts->dense_layers : layers;
  double sum = layers * attention + dense * matrices * m.hidden * m.ffn;
  if (m.experts) {
    const Experts& e = *m.experts;
    sum += (layers - dense) * (3 * m.hidden * (e.chosen * e.ffn + e.shared_ffn) + m.hidden * e.count);
  }
  return sum +
         (1 + m.prediction_layers) * m.vocabulary * m.hidden;  // the head; looking up an embedding computes nothing
}

}  // namespace orrery::llm
