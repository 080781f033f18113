// Configurations of a language model that predict inference or a distributed product.
#pragma once

#include "analyze/forecast/inference_forecasts.h"
#include "analyze/forecast/llm_forecast.h"
#include "analyze/forecast/llm_sheets.h"
#include "ask/context.h"
#include "ask/workloads/llm_step.h"
#include "job/shipped/llm_config.h"
#include "llm/catalog.h"

namespace orrery::ask {

/// A row per configuration, where there are several.
struct ServingSheets {
  report::Sheet inference = analyze::inference_sheet();
  report::Sheet products = analyze::products_sheet();
};
/// `config` has an inference or a product.
Status add_serving(Context& context, const LlmStepOutputs& step, const llm::Catalog& catalog,
                   const job::LlmConfig& config, ServingSheets& sheets);
/// All about one.
Result<report::Answer> show_serving(Context& context, const LlmStepOutputs& step, const llm::Catalog& catalog,
                                    const job::LlmConfig& config);

/// What of a planned job's run is kept: activities of all ranks where they are written, or drawn and not too many; the
/// use of links over time where it is shown.
analyze::KeptOfRun kept_of_run(const LlmStepOutputs& step, std::int64_t ranks);

}  // namespace orrery::ask
