// Storages that were made where nobody recorded it: by compiled code, say, whose kernels are known and whose operators
// are not.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/torch/build/lifetimes.h"
#include "replay/torch/edits/chosen_calls.h"
#include "replay/torch/source/rank_source.h"
#include "trace/host_arguments.h"

namespace orrery::replay::torch {

/// Per lifetime, 1 if it is one: nothing recorded made it, work that cannot be called came before it, and of several
/// steps only one mentions it, as parameters and the optimizer's state do not. O(uses).
std::vector<std::uint8_t> find_unrecorded_makers(const RankSource& source, const ChosenCalls& chosen,
                                                 const trace::HostArguments& arguments, const Lifetimes& lifetimes);

}  // namespace orrery::replay::torch
