#include "job/shipped/serving_inputs.h"

#include "base/io/csv.h"

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

Result<std::unique_ptr<llm::StepCost>> open_cost(const llm::StepCosts& costs, std::vector<std::string>& files) {
  if (costs.kind == llm::CostKind::linear)
    return std::unique_ptr<llm::StepCost>(std::make_unique<llm::LinearCost>(costs.linear));
  if (costs.kind == llm::CostKind::table) return open_table_cost(costs, files);
  return Error{"costs: {kind: model} is not there yet"};
}

}  // namespace

Result<ServingInputs> open_serving(const LlmConfig& config, const llm::Catalog&) {
  const llm::ServingPlan& plan = *config.serving;
  ServingInputs inputs;
  auto cost = open_cost(plan.costs, inputs.files);
  if (!cost) return cost.error();
  inputs.cost = std::move(*cost);
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
