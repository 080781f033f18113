// What a plan of a serving engine needs from files: requests, and times of steps.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "job/shipped/llm_config.h"
#include "llm/engine/requests.h"
#include "llm/engine/serving_plan.h"
#include "llm/engine/step_cost.h"

namespace orrery::job {

/// A CostRange and what it points at.
struct OwnedCosts {
  std::unique_ptr<llm::StepCost> middle, low, high;

  [[nodiscard]] llm::CostRange range() const { return {*middle, low.get(), high.get()}; }
};

struct ServingInputs {
  llm::Requests requests;
  OwnedCosts costs;
  std::string basis = {};          ///< what measured kernels stand behind; empty: none
  std::vector<std::string> files;  ///< that were read
};

/// The same model on other numbers of ranks.
struct ShapeVariant {
  double tensor = 1;
  double replicas = 0;                   ///< 0: any, as they share nothing
  std::optional<OwnedCosts> costs = {};  ///< none: the model cannot be divided so, or does not fit
  std::uint32_t kv_blocks = 0;
  std::string why_not = {};
};
/// An Error: costs that are not of a model.
Result<ShapeVariant> open_shape(const LlmConfig& config, const llm::Catalog& catalog, double tensor, double replicas);
/// Each tensor of the configuration's sweep and, where replicas share experts, each number of those; one where neither
/// is swept. Errors as above.
Result<std::vector<ShapeVariant>> open_shapes(const LlmConfig& config, const llm::Catalog& catalog);

/// Of a configuration with `serving:`. The Error names file, line, column and rule.
Result<ServingInputs> open_serving(const LlmConfig& config, const llm::Catalog& catalog);

}  // namespace orrery::job
