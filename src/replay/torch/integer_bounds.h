// Below what the integers of a storage have to lie, so that they are indices wherever they are used as such.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/torch/chosen_calls.h"
#include "replay/torch/lifetimes.h"
#include "trace/host_arguments.h"

namespace orrery::replay::torch {

/// Per lifetime; 0: nothing is known. What an operator takes as indices lies below the size of what they point into; the bound holds for all that the
/// indices were copied from, and of several the smallest. What was computed from (a sum, a product) is zeros: nothing else is sure to stay in range.
std::vector<std::int64_t> integer_bounds(const trace::HostTrace& host, const Schemas& schemas, const ChosenCalls& chosen,
                                         const trace::HostArguments& arguments, const Lifetimes& lifetimes);

}  // namespace orrery::replay::torch
