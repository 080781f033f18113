// A run of a serving engine with edits, beside the same run without.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyze/forecast/serving_settings.h"
#include "analyze/forecast/serving_sheets.h"
#include "analyze/whatif/serving_edits.h"
#include "base/result.h"
#include "llm/engine/serving_plan.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// What one edit does by itself.
struct EditAlone {
  std::string text;
  std::optional<ServingSummary> summary;  ///< none: some request cannot be served then
  std::string impossible = {};            ///< why
};

struct BeforeAndAfter {
  ServingSummary before, after;
};

struct ServingWhatIf : BeforeAndAfter {
  std::vector<BeforeAndAfter> by_steps;     ///< at the ends of what steps cost
  std::vector<BeforeAndAfter> by_arrivals;  ///< with other arrivals of the same law, in no order
  std::vector<EditAlone> alone;             ///< of several edits, in their order
  std::vector<ServingSetting> sweep;        ///< by factor
  std::optional<std::string> missed;        ///< an edit whose replica would fail after the last token
};

/// What steps cost, and what the cache has, with another number of replicas that share experts. An Error: the model
/// cannot be divided so, or costs do not say.
using PriceReplicas = std::function<Result<ShapeCost>(double replicas)>;

/// All edits together, in order; each alone where there are several; and together with the factor of those that scale
/// replaced by each of `factors`. Where steps have intervals, so has the change: the same kernels are wrong before and
/// after, and the same requests come. An Error: an edit has nothing to change (misuse), or with all of them some
/// request cannot be served.
Result<ServingWhatIf> what_if(const llm::ServingPlan& plan, const llm::Requests& requests, const llm::CostRange& costs,
                              const PriceReplicas& price_replicas, const std::vector<ServingEdit>& edits,
                              const std::vector<double>& factors);

/// "change": what requests wait for and how many there are per second, before and after, with the interval of the
/// change.
report::Sheet serving_change_sheet(const ServingWhatIf& result, const llm::Objectives& objectives);
/// "counts": steps, preemptions, tokens found in the cache, likewise.
report::Sheet serving_counts_sheet(const ServingWhatIf& result);
/// "edits": each alone, a row: the change of what matters most.
report::Sheet serving_edits_sheet(const ServingWhatIf& result, const llm::Objectives& objectives);

}  // namespace orrery::analyze
