// What a plan of a serving engine needs from files: requests, and times of steps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "job/shipped/llm_config.h"
#include "llm/engine/requests.h"
#include "llm/engine/serving_plan.h"
#include "llm/engine/step_cost.h"

namespace orrery::job {

struct ServingInputs {
  llm::Requests requests;
  std::unique_ptr<llm::StepCost> cost;
  std::unique_ptr<llm::StepCost> low, high;  ///< ends of its interval; null: the costs have none
  std::string basis = {};                    ///< what measured kernels stand behind; empty: none
  std::vector<std::string> files;            ///< that were read
};

/// The same model with another number of tensor ranks.
struct TensorVariant {
  double tensor = 1;
  std::unique_ptr<llm::StepCost> cost;  ///< null: the model cannot be divided so, or does not fit
  std::uint32_t kv_blocks = 0;
  std::string why_not = {};
};
/// By tensor, in the order of the list. An Error: costs that are not of a model.
Result<std::vector<TensorVariant>> open_tensors(const LlmConfig& config, const llm::Catalog& catalog,
                                                const std::vector<std::int64_t>& tensors);

/// Of a configuration with `serving:`. The Error names file, line, column and rule.
Result<ServingInputs> open_serving(const LlmConfig& config, const llm::Catalog& catalog);

}  // namespace orrery::job
