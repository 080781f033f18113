#include "job/shipped/serving_inputs.h"

#include <fmt/format.h>

#include <algorithm>

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

/// Out of a domain: the link of the machine's next dimension, where it says one rate; else the port that devices of
/// this generation are usually sold with.
machine::RailLink rail_of(const LlmConfig& config, const llm::Catalog& catalog) {
  machine::RailLink rail = llm::usual_rail(catalog, config.device);
  if (config.machine.network.size() < 2 || config.machine.network[1].bandwidth_gb_per_s <= 0) return rail;
  rail.bytes_per_s = config.machine.network[1].bandwidth_gb_per_s * config.machine.network[1].derate * 1e9;
  return rail;
}

Status open_model_cost(const LlmConfig& config, const llm::Catalog& catalog, ServingInputs& inputs) {
  const auto prices = llm::model_prices(
      {catalog, *config.served, config.device, config.serving->costs.graph_tokens, rail_of(config, catalog)});
  if (!prices) return prices.error();
  inputs.cost = llm::model_cost(*prices, llm::IntervalPoint::middle);
  inputs.low = llm::model_cost(*prices, llm::IntervalPoint::low);
  inputs.high = llm::model_cost(*prices, llm::IntervalPoint::high);
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

Result<std::vector<TensorVariant>> open_tensors(const LlmConfig& config, const llm::Catalog& catalog,
                                                const std::vector<std::int64_t>& tensors) {
  if (!config.served)
    return Error{"sweep.tensor needs costs: {kind: model}: profiled times and sums are of one number of ranks"};
  const llm::ServingPlan& plan = *config.serving;
  std::vector<TensorVariant> variants;
  for (const std::int64_t tensor : tensors) {
    TensorVariant& variant = variants.emplace_back(TensorVariant{.tensor = static_cast<double>(tensor), .cost = {}});
    llm::InferencePlan served = *config.served;
    served.shape.job.tensor = variant.tensor;
    served.shape.job.devices = variant.tensor * served.shape.job.pipeline;
    served.shape.job.expert = std::min(served.shape.job.expert, variant.tensor);
    if (const auto broken = llm::find_inference_violation(served)) {
      variant.why_not = fmt::format("{} {}", broken->field, broken->message);
      continue;
    }
    const double blocks =
        llm::blocks_left(served, config.memory, config.device, plan.engine.limits.block_tokens, plan.memory_share);
    variant.kv_blocks = plan.has_blocks ? plan.engine.limits.kv_blocks
                                        : static_cast<std::uint32_t>(std::clamp(blocks, 0.0, 2147483647.0));
    if (variant.kv_blocks == 0) {
      variant.why_not = fmt::format("with {} tensor ranks the model leaves no room for a cache", tensor);
      continue;
    }
    const auto prices =
        llm::model_prices({catalog, served, config.device, plan.costs.graph_tokens, rail_of(config, catalog)});
    if (!prices) return prices.error();
    variant.cost = llm::model_cost(*prices, llm::IntervalPoint::middle);
  }
  return variants;
}

}  // namespace orrery::job
