#include "job/shipped/serving_inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/io/csv.h"
#include "job/shipped/served_model.h"
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

/// `basis`: what the prices rest on.
Result<OwnedCosts> open_model_cost(const LlmConfig& config, const llm::InferencePlan& served,
                                   const llm::Catalog& catalog, std::string* basis = nullptr) {
  const auto prices =
      llm::model_prices({catalog, served, config.device, config.serving->costs.graph_tokens, rail_of(config, catalog)});
  if (!prices) return prices.error();
  if (basis != nullptr) *basis = (*prices)->basis();
  return OwnedCosts{llm::model_cost(*prices, llm::IntervalPoint::middle),
                    llm::model_cost(*prices, llm::IntervalPoint::low),
                    llm::model_cost(*prices, llm::IntervalPoint::high)};
}

Status open_cost(const LlmConfig& config, const llm::Catalog& catalog, ServingInputs& inputs) {
  const llm::StepCosts& costs = config.serving->costs;
  if (costs.kind == llm::CostKind::model) {
    auto priced = open_model_cost(config, *config.served, catalog, &inputs.basis);
    if (!priced) return priced.error();
    inputs.costs = std::move(*priced);
    return {};
  }
  if (costs.kind == llm::CostKind::linear) {
    inputs.costs.middle = std::make_unique<llm::LinearCost>(costs.linear);
    return {};
  }
  auto cost = open_table_cost(costs, inputs.files);
  if (!cost) return cost.error();
  inputs.costs.middle = std::move(*cost);
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

Result<ShapeVariant> open_shape(const LlmConfig& config, const llm::Catalog& catalog, double tensor, double replicas) {
  if (!config.served)
    return Error{"other ranks need costs: {kind: model}: profiled times and sums are of one number of ranks"};
  ShapeVariant variant{tensor, replicas, std::nullopt, config.serving->engine.limits.kv_blocks};
  llm::InferencePlan served = *config.served;
  const ServingSite site{*config.serving, config.device, config.machine, config.memory};
  if (const auto broken = divide_served(site, tensor, replicas, served, variant.kv_blocks)) {
    variant.why_not = fmt::format("{} {}", broken->field, broken->message);
    return variant;
  }
  auto costs = open_model_cost(config, served, catalog);
  if (!costs) return costs.error();
  variant.costs = std::move(*costs);
  return variant;
}

Result<std::vector<ShapeVariant>> open_shapes(const LlmConfig& config, const llm::Catalog& catalog) {
  const llm::EnginePlan& engine = config.serving->engine;
  const auto listed = [](const std::vector<std::int64_t>& values, double own) {
    std::vector<double> all(values.begin(), values.end());
    if (all.empty()) all.push_back(own);
    return all;
  };
  // Replicas that share nothing cost the same however many there are.
  const std::vector<double> replicas =
      engine.experts_shared ? listed(config.serving_space.replicas, engine.replicas) : std::vector<double>{0};
  std::vector<ShapeVariant> variants;
  const double own = config.served ? config.served->shape.job.tensor : 1;
  for (const double tensor : listed(config.serving_space.tensor, own)) {
    for (const double count : replicas) {
      auto variant = open_shape(config, catalog, tensor, count);
      if (!variant) return variant.error();
      variants.push_back(std::move(*variant));
    }
  }
  return variants;
}

}  // namespace orrery::job
