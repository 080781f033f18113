#include "job/shipped/serving_inputs.h"

#include "base/io/csv.h"
#include "llm/engine/model_cost.h"
#include "llm/engine/table_cost.h"

namespace orrery::job {
namespace {

Result<std::unique_ptr<llm::StepCost>> open_table_cost(const llm::StepCosts& costs, std::vector<std::string>& files) {
  llm::CostTables tables;
  const auto read = [&](const std::string& path, CsvTable& table) -> Status {
    auto found = read_csv(path);
    if (!found) return found.error();
    table = std::move(*found);
    files.push_back(path);
    return {};
  };
  if (Status good = read(costs.dense, tables.dense); !good) return good.error();
  if (Status good = read(costs.per_sequence, tables.per_sequence); !good) return good.error();
  if (Status good = read(costs.attention, tables.attention); !good) return good.error();
  if (costs.moe) {
    if (Status good = read(*costs.moe, tables.moe.emplace()); !good) return good.error();
  }
  return llm::table_cost(tables, costs.table);
}

Status open_model_cost(const LlmConfig& config, const llm::Catalog& catalog, ServingInputs& inputs) {
  const auto prices = llm::model_prices({catalog, *config.served, config.device, config.serving->costs.graph_tokens});
  if (!prices) return prices.error();
  inputs.cost = llm::model_cost(*prices, llm::Estimate::middle);
  inputs.low = llm::model_cost(*prices, llm::Estimate::low);
  inputs.high = llm::model_cost(*prices, llm::Estimate::high);
  inputs.basis = (*prices)->basis();
  return {};
}

Status open_cost(const LlmConfig& config, const llm::Catalog& catalog, ServingInputs& inputs) {
  const llm::StepCosts& costs = config.serving->costs;
  if (costs.kind == llm::CostKind::model) return open_model_cost(config, catalog, inputs);
  if (costs.kind == llm::CostKind::linear) {
    inputs.cost = std::make_unique<llm::LinearCost>(costs.linear);
    return {};
  }
  auto cost = open_table_cost(costs, inputs.files);
  if (!cost) return cost.error();
  inputs.cost = std::move(*cost);
  return {};
}

}  // namespace

Result<ServingInputs> open_serving(const LlmConfig& config, const llm::Catalog& catalog) {
  const llm::ServingPlan& plan = *config.serving;
  ServingInputs inputs;
  if (const Status opened = open_cost(config, catalog, inputs); !opened) return opened.error();
  const llm::RequestRules rules = llm::rules_of(plan.engine);
  if (plan.arrivals) {
    inputs.requests = llm::draw_requests(*plan.arrivals);
    if (const Status good = llm::check_requests(inputs.requests, rules); !good) return good.error();
    return inputs;
  }
  const auto table = read_csv(*plan.requests);
  if (!table) return table.error();
  inputs.files.push_back(*plan.requests);
  auto requests = llm::read_requests(*table, rules);
  if (!requests) return requests.error();
  if (plan.engine.limits.prefix_cache && !requests->pieces.empty() && plan.engine.limits.prefix_tokens == 0)
    return Error{"the column 'prefix' is there, and the configuration does not say of how many tokens its pieces are",
                 *plan.requests, Error::kNoOffset, "serving: {prefix_tokens: N}, or prefix_cache: false"};
  inputs.requests = std::move(*requests);
  return inputs;
}

}  // namespace orrery::job
