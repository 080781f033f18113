// What a configuration says of a serving engine: who asks, how steps are scheduled, what they cost, and what counts as
// good enough.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llm/engine/requests.h"
#include "llm/engine/serving_run.h"
#include "llm/engine/step_cost.h"
#include "llm/engine/table_cost.h"
#include "machine/device/peak_rates.h"

namespace orrery::llm {

/// Where prices of steps come from.
enum class CostKind : std::uint8_t {
  model,   ///< Orrery's own kernels, parallelism and network
  table,   ///< profiled times of one layer
  linear,  ///< a sum of products
};
inline constexpr std::array<std::string_view, 3> kCostKindNames = {"model", "table", "linear"};

struct StepCosts {
  CostKind kind = CostKind::model;
  LinearStep linear = {};
  TableCostFields table = {};
  std::string dense = {}, per_sequence = {}, attention = {};  ///< files of profiled times
  std::optional<std::string> moe = {};
  // Of a model.
  machine::DataType precision = machine::DataType::bf16;  ///< of weights, and of products
  double kv_cache_bytes = 2;                              ///< of one element
  std::vector<std::int64_t> graph_tokens =
      {};  ///< sizes of captured graphs, to which tokens are padded; none: no graphs
};

/// What a request has to meet to count; left out: nothing.
struct Objectives {
  std::optional<double> ttft_ms = {}, tpot_ms = {}, latency_ms = {};

  [[nodiscard]] bool any() const { return ttft_ms || tpot_ms || latency_ms; }
};

/// Settings that a sweep tries, all with all; an empty list: that of the plan.
struct ServingSpace {
  std::vector<std::int64_t> tensor = {},  ///< ranks of a replica; of costs by a model alone
      max_requests = {}, max_batch_tokens = {}, replicas = {}, prefill = {}, decode = {};
};

struct ServingPlan {
  EnginePlan engine;
  std::optional<std::string> requests = {};  ///< a table; or
  std::optional<ArrivalLaw> arrivals = {};
  bool has_blocks = true;     ///< else they are what memory leaves
  double memory_share = 0.9;  ///< of the device's memory, for weights, workspace and cache
  StepCosts costs;
  Objectives objectives;
};

}  // namespace orrery::llm
