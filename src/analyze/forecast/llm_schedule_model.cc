#include "analyze/forecast/llm_schedule_model.h"

#include <limits>

#include "analyze/forecast/llm_forecast.h"
#include "analyze/forecast/llm_prices.h"
#include "llm/steps/step_source.h"
#include "machine/cluster_machine.h"

namespace orrery::analyze {
namespace {

std::optional<TimePs> folded_ps(const llm::Catalog& catalog, const machine::Device& device,
                                const machine::Machine& machine, const llm::StepPlan& plan) {
  auto prices = LlmPrices::on(machine);
  if (!prices) return std::nullopt;
  const llm::StepTimes times = llm::step_times(catalog, device, plan);
  const auto orders =
      llm::pipeline_orders(plan.order, plan.stages(), plan.chunks(), plan.micro_batches(), {}, plan.overlap.experts);
  const auto folded =
      llm::folded_step(plan, times, orders, prices->for_plan(plan), std::numeric_limits<std::int64_t>::max());
  if (!folded) return std::nullopt;
  return folded->step_ps;
}

}  // namespace

llm::StepModel schedule_model(const llm::Catalog& catalog, const simulate::PricingOptions& network,
                              Diagnostics& diagnostics) {
  return [&](const machine::Device& device, const llm::RowPlans& row) -> std::optional<double> {
    const llm::StepPlan* best = nullptr;
    TimePs shortest = std::numeric_limits<TimePs>::max();
    const machine::Machine machine = machine::cluster_machine(
        device, row.plans[0].ranks(), static_cast<std::int64_t>(row.cluster.node_devices), row.cluster.port_gb_per_s);
    for (const llm::StepPlan& plan : row.plans) {
      const auto folded = row.plans.size() == 1 ? std::optional<TimePs>(0) : folded_ps(catalog, device, machine, plan);
      if (folded && *folded < shortest) shortest = *folded, best = &plan;
    }
    if (best == nullptr) return std::nullopt;
    const auto run = forecast_step({catalog, *best, device, machine, network, {}}, diagnostics);
    if (!run) return std::nullopt;
    return static_cast<double>(run->step_ps) * 1e-12;
  };
}

}  // namespace orrery::analyze
