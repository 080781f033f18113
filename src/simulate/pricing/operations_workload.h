// Operations as a workload of their own, for simulators that take nothing less: each participant does its part of each
// operation, in their order and without waiting; everybody else has one empty activity, since ASTRA-sim wants something
// of each NPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "simulate/network_model.h"
#include "workload/workload.h"

namespace orrery::simulate {

/// Whether ASTRA-sim simulates it at all: messages, and collectives of equal parts that are no tree from or to a root.
bool astra_simulates(const CommOp& op);
/// A group of one rank and, unless it is a barrier, no bytes: done at once without asking anybody.
bool is_done_at_once(const CommOp& op);

/// Ranks below `devices`. The activity of operation i has the id i + 1 on each of its ranks. A group of all devices is
/// the world.
workload::Workload workload_of(std::span<const CommOp> ops, std::uint32_t devices);

/// Where operation `op` is in the program of one of its ranks.
std::size_t activity_of(const workload::Workload& workload, std::size_t op, std::uint32_t rank);

}  // namespace orrery::simulate
