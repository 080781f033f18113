// Who prices the communication of a simulation, from the command line: the same flags, words and `network:` block in
// every verb that simulates.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/frame/flag.h"
#include "cli/frame/invocation.h"
#include "job/astra_sidecar.h"
#include "machine/machine.h"
#include "simulate/pricing/pricing.h"

namespace orrery::cli {

/// --network-model, whose help is `help`, and what says more: --pricing and, for astra-sidecar, --sidecar,
/// --sidecar-timeout and --sidecar-cache.
std::vector<Flag> with_network_flags(std::vector<Flag> flags, std::string_view help);
/// --network-model alone, of a verb that has its options elsewhere.
Flag network_model_flag(std::string_view help);

struct NamedPricing {
  std::string name;  ///< as the report calls it: of machine::kNetworkModelNames, or model and mode of a block that is
                     ///< none of these
  simulate::Pricing pricing;
};

/// The block of --pricing, else --network-model, else what the machine says. Both flags together are a usage error; one
/// of astra-sidecar is left to sidecar_options() to open.
Result<NamedPricing> chosen_pricing(Invocation& invocation, const machine::Machine& machine);

/// A block, by somebody who knows how to run the user's own ASTRA-sim.
simulate::Pricing configured_pricing(const simulate::PricingOptions& network);

/// Model and mode of `network` replaced by those that --network-model names; nothing changes without it. `machine` may
/// name the ASTRA-sim to ask.
Status choose_model(const Invocation& invocation, const machine::Machine& machine, simulate::PricingOptions& network);

/// Of astra-sidecar: the program and how it is asked, which is what the machine says unless the command line says
/// otherwise. `files`: the user's own.
Result<job::SidecarOptions> sidecar_options(const Invocation& invocation, const machine::Machine& machine,
                                            std::optional<machine::AstraFiles> files);

}  // namespace orrery::cli
