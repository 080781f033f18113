// What a step takes by Orrery's own kernels: the batch as shapes, each priced by what was measured of the device
// (machine/warm), layer after layer, with the all-reduces of tensor parallelism between.
//
// Weights are read anew in every layer, so that products are priced without what a warm cache would hold. Attention is
// one kernel per piece of a prompt and one for all decodes, whose contexts differ: its time lies a little above that of
// their mean. Tokens of a step that is replayed as a graph are padded to the size that was captured. Intervals come
// from those of kernels: of one kind they are wrong together, kinds are wrong independently.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "llm/catalog.h"
#include "llm/engine/step_cost.h"
#include "llm/serving/inference_plan.h"

namespace orrery::llm {

/// Blocks of the cache that a share of the device's memory leaves beside weights and the workspace of the largest step;
/// below 1: the model does not fit.
double blocks_left(const InferencePlan& plan, const MemoryOptions& options, const machine::Device& device,
                   double block_tokens, double memory_share);

/// Where in its interval a time is taken.
enum class Estimate : std::uint8_t { low, middle, high };

/// Prices of one model on one device, remembered; costs of all three estimates share them. Thread-safe.
class ModelPrices {
 public:
  ModelPrices() = default;
  ModelPrices(const ModelPrices&) = delete;
  ModelPrices& operator=(const ModelPrices&) = delete;
  virtual ~ModelPrices() = default;

  virtual StepPrice price(const Batch& batch, Estimate estimate) = 0;
  /// What prices rest on: "measured", or the relative whose tables were taken.
  [[nodiscard]] virtual std::string basis() const = 0;
};

struct ModelCostInput {
  const Catalog& catalog;
  const InferencePlan& plan;  ///< model, tensor, expert, precision and cache
  const machine::Device& device;
  std::vector<std::int64_t> graph_tokens = {};  ///< ascending; none: no padding
};

/// An Error says what nobody measured, on this device or a relative.
Result<std::shared_ptr<ModelPrices>> model_prices(const ModelCostInput& input);
std::unique_ptr<StepCost> model_cost(std::shared_ptr<ModelPrices> prices, Estimate estimate);

}  // namespace orrery::llm
