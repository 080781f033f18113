#include "analyze/forecast/llm_prices.h"

#include "machine/topology/network.h"
#include "simulate/collective/algorithm.h"
#include "simulate/models/link_models.h"

namespace orrery::analyze {

Result<LlmPrices> LlmPrices::on(const machine::Machine& machine) {
  auto network = machine::Network::build(machine);
  if (!network) return network.error();
  auto lowering =
      std::make_shared<simulate::Lowering>(std::move(*network), simulate::comm_options(machine.communication));
  return LlmPrices(std::make_unique<simulate::IsolatedModel>(std::move(lowering)));
}

llm::CommPrice LlmPrices::for_plan(const llm::StepPlan& plan) {
  return [this, &plan](const llm::CommQuestion& question) { return price(plan, question); };
}

Result<TimePs> LlmPrices::price(const llm::StepPlan& plan, const llm::CommQuestion& question) {
  const std::vector<workload::Axis> layout = layout_of(plan, question.axis);
  std::vector<std::int64_t> key = {question.is_message ? -1 : static_cast<std::int64_t>(question.collective),
                                   question.bytes};
  for (const workload::Axis& axis : layout) key.insert(key.end(), {axis.size, axis.stride});
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  const workload::Role role{.name = 1, .axes = layout};
  std::vector<std::uint32_t> ranks = role.ranks_with(0);
  if (question.is_message) ranks.resize(2);
  const simulate::CommOp op{
      .kind = question.is_message ? simulate::CommOp::Kind::message : simulate::CommOp::Kind::collective,
      .collective = question.collective,
      .bytes = question.is_message ? question.bytes
                                   : workload::whole_bytes(question.collective, question.bytes, ranks.size()),
      .ranks = ranks};
  auto estimated = model_->estimate(op);
  if (!estimated) return estimated.error();
  known_.emplace(std::move(key), estimated->total_ps);
  return estimated->total_ps;
}

}  // namespace orrery::analyze
