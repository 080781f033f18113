// Who prices the communication of a simulation: the same choice, words and `network:` block in every question that
// simulates.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ask/context.h"
#include "ask/fields.h"
#include "base/result.h"
#include "job/astra_sidecar.h"
#include "job/shipped/llm_config.h"
#include "llm/catalog.h"
#include "machine/machine.h"
#include "simulate/models/measured_collectives.h"
#include "simulate/pricing/pricing.h"

namespace orrery::ask {

inline constexpr auto kNetworkModelWords = words_of<machine::NetworkModelKind>(machine::kNetworkModelNames);

struct NetworkChoice {
  std::optional<machine::NetworkModelKind> model = {};  ///< none: as the machine or the configuration says
  std::optional<std::string> pricing = {};              ///< the same in full: a file with a `network:` block
  // Of astra-sidecar, unless the machine says it.
  std::optional<std::string> sidecar = {};     ///< the user's ASTRA-sim
  std::optional<double> sidecar_timeout = {};  ///< seconds after which a run is given up
  std::string sidecar_cache = {};              ///< the folder that keeps its answers; empty: none does
};
template <typename Visitor>
void fields(NetworkChoice& network, Visitor&& visit) {
  visit("network-model", choice(network.model, kNetworkModelWords));
  visit("pricing", network.pricing);
  visit("sidecar", network.sidecar);
  visit("sidecar-timeout", network.sidecar_timeout);
  visit("sidecar-cache", network.sidecar_cache);
}

struct NamedPricing {
  std::string name;  ///< as the report calls it: of machine::kNetworkModelNames, or model and mode of a block that is
                     ///< none of these
  simulate::Pricing pricing;
};

/// The block of `pricing`, else the model, else what the machine says. Both together are a misuse; one of astra-sidecar
/// is left to sidecar_options() to open.
Result<NamedPricing> chosen_pricing(Context& context, const NetworkChoice& choice, const machine::Machine& machine);

/// A block, by somebody who knows how to run the user's own ASTRA-sim.
simulate::Pricing configured_pricing(const simulate::PricingOptions& network);
/// The same of a configuration of llm, with the measured collectives of its device. Both must outlive the Pricing.
simulate::Pricing configured_pricing(const job::LlmConfig& config, const llm::Catalog& catalog);

/// What says what collectives inside the nodes of a machine take; none where links do.
Result<std::optional<simulate::MeasuredPrices>> measured_prices(const simulate::Pricing& pricing,
                                                                const machine::Machine& machine);

/// Model and mode of `network` replaced by those that were chosen; nothing changes without a choice. `machine` may name
/// the ASTRA-sim to ask.
Status choose_model(const NetworkChoice& choice, const machine::Machine& machine, simulate::PricingOptions& network);

/// Of astra-sidecar: the program and how it is asked, which is what the machine says unless the choice says otherwise.
/// `files`: the user's own.
Result<job::SidecarOptions> sidecar_options(const NetworkChoice& choice, const machine::Machine& machine,
                                            std::optional<machine::AstraFiles> files);

}  // namespace orrery::ask
