#include "simulate/pricing/pricing.h"

namespace orrery::simulate {

Status PricingOptions::check() const {
  // A closed form has no state: it cannot know what else is under way.
  if (model == PricingModel::analytical && mode != PricingMode::isolated) {
    return Error{.message = "the model 'analytical' prices operations one by one: it has no mode '" +
                            std::string(kPricingModeNames[static_cast<std::size_t>(mode)]) + "'",
                 .hint = "mode: isolated, or model: fluid"};
  }
  if (model == PricingModel::loggops && mode != PricingMode::in_loop)
    return Error{.message = "the model 'loggops' runs the whole workload: it has no mode but 'in-loop'",
                 .hint = "mode: in-loop"};
  if (model == PricingModel::oracle && mode != PricingMode::isolated)
    return Error{.message = "an oracle is asked for operations one by one: it has no mode but 'isolated'"};
  // A snapshot prices what shares links, and what was measured is on none.
  const bool has_links = model == PricingModel::fluid && mode != PricingMode::snapshot;
  if (collectives == CollectiveSource::measured && !has_links) {
    return Error{.message =
                     "measured collectives stand beside the links of the model 'fluid' in its modes 'in-loop' and "
                     "'isolated'",
                 .hint = "model: fluid, or leave collectives out"};
  }
  if (astra_sim && model != PricingModel::astra) {
    return Error{.message = "astra_sim is for the model 'astra', and the model is '" +
                            std::string(kPricingModelNames[static_cast<std::size_t>(model)]) + "'",
                 .hint = "model: astra, or leave astra_sim out"};
  }
  // The program says when ranks end, not when their activities do: there is no schedule in its answer.
  if (astra_sim && mode == PricingMode::in_loop) {
    return Error{.message =
                     "the program of astra_sim says when ranks end, not when their activities do: it prices "
                     "operations, and has no mode 'in-loop'",
                 .hint = "mode: isolated or snapshot; or leave astra_sim out, and the embedded model runs in the loop"};
  }
  if (!(merge_us >= 0) || coalesce_below_bytes < 0 || !(reprice_threshold >= 0) || !(second_pass_share >= 0))
    return Error{.message = "merge_us, coalesce_below_bytes, reprice_threshold and second_pass_share are not negative"};
  if (passes < 1 || passes > 2) return Error{.message = "passes is 1 or 2: more do not come closer to the truth"};
  return {};
}

Pricing pricing_of(machine::NetworkModelKind kind) {
  using machine::NetworkModelKind;
  Pricing pricing;
  switch (kind) {
    case NetworkModelKind::fluid: break;
    case NetworkModelKind::isolated: pricing.mode = PricingMode::isolated; break;
    case NetworkModelKind::snapshot:
      pricing.mode = PricingMode::snapshot;
      pricing.passes = 1;
      pricing.keep_snapshots = false;
      break;
    case NetworkModelKind::analytical:
      pricing.model = PricingModel::analytical;
      pricing.mode = PricingMode::isolated;
      break;
    case NetworkModelKind::astra: pricing.model = PricingModel::astra; break;
    case NetworkModelKind::loggops: pricing.model = PricingModel::loggops; break;
    case NetworkModelKind::astra_sidecar:
      pricing.model = PricingModel::oracle;
      pricing.mode = PricingMode::isolated;
      break;
  }
  return pricing;
}

}  // namespace orrery::simulate
