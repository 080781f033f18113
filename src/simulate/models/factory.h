// Network timing models by name.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "machine/topology/network.h"
#include "simulate/collective/options.h"
#include "simulate/network_model.h"

namespace orrery::simulate {

/// The models for networks of links. The first is the default.
inline constexpr std::array<std::string_view, 3> kLinkModelNames = {"fluid", "isolated", "snapshot"};

/// The Error lists the names and says which was probably meant.
Result<std::unique_ptr<NetworkModel>> make_network_model(std::string_view name, machine::Network network, CommOptions options = {});

}  // namespace orrery::simulate
