// Which fabric an operation is of, for whoever prices fabrics apart: the outermost dimension of the machine in which its ranks differ. That is only
// right where fabrics share no link: a NIC behind the PCIe switch of the NVLink ports, or a collective that goes through a node and then
// between nodes, makes them share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/network.h"
#include "simulate/collective/lowering.h"
#include "simulate/pricing/recording_model.h"

namespace orrery::simulate {

/// By operation.
std::vector<std::uint32_t> fabrics_of(const Recording& recording, const machine::Network& network);

/// The links that operations of different fabrics cross, ascending.
Result<std::vector<machine::LinkId>> links_of_several_fabrics(const Recording& recording, std::span<const std::uint32_t> fabric_of,
                                                              Lowering& lowering);

}  // namespace orrery::simulate
