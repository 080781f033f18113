// What a step takes by Orrery's own kernels: the batch as shapes, each priced by what was measured of the device
// (machine/warm), layer after layer, with the all-reduces of tensor parallelism between.
//
// Weights are read anew in every layer, so that products are priced without what a warm cache would hold. Attention is
// one kernel per piece of a prompt and one for all decodes, whose contexts differ: its time lies a little above that of
// their mean. Tokens of a step that is replayed as a graph are padded to the size that was captured. Intervals come
// from those of kernels (of one kind they are wrong together, kinds are wrong independently) and from how far engines
// are from the sum of their kernels.
//
// The stages of a pipeline share the layers, and the last has the head, too. Experts that replicas share are whole, as
// many on each rank of all replicas; a copy of a token goes to each of those that it chose, and back, by all-to-alls.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "llm/catalog.h"
#include "llm/engine/model_kernels.h"
#include "llm/engine/step_cost.h"
#include "llm/serving/inference_plan.h"
#include "machine/device/collective_lines.h"

namespace orrery::llm {

/// Blocks of the cache that a share of the device's memory leaves beside weights and the workspace of the largest step;
/// below 1: the model does not fit.
double blocks_left(const InferencePlan& plan, const MemoryOptions& options, const machine::Device& device,
                   double block_tokens, double memory_share);

/// Prices of one model on one device, remembered; costs of all three points share them. Thread-safe.
class ModelPrices {
 public:
  ModelPrices() = default;
  ModelPrices(const ModelPrices&) = delete;
  ModelPrices& operator=(const ModelPrices&) = delete;
  virtual ~ModelPrices() = default;

  /// Without experts that replicas share.
  virtual StepPrice price(const Batch& batch, IntervalPoint point) = 0;
  virtual void price_stages(const Batch& batch, IntervalPoint point, StagedStep& step) = 0;
  /// As StepCost has it.
  virtual TimePs shared_experts_ps(std::uint64_t tokens, std::uint32_t most, IntervalPoint point) = 0;
  /// What prices rest on: "measured", or the relative whose tables were taken.
  [[nodiscard]] virtual std::string basis() const = 0;
};

struct ModelCostInput {
  const Catalog& catalog;
  const InferencePlan& plan;  ///< model, tensor, pipeline, expert, precision and cache
  const machine::Device& device;
  std::vector<std::int64_t> graph_tokens = {};  ///< ascending; none: no padding
  machine::RailLink rail = {};                  ///< of each device, out of its domain of plan.shape.domain_devices
};

/// An Error says what nobody measured, on this device or a relative.
Result<std::shared_ptr<ModelPrices>> model_prices(const ModelCostInput& input);
std::unique_ptr<StepCost> model_cost(std::shared_ptr<ModelPrices> prices, IntervalPoint point);

}  // namespace orrery::llm
