// What a device that was not measured takes over, and from whom.
#pragma once

#include <functional>
#include <vector>

#include "machine/device/device.h"

namespace orrery::llm {

/// Of those in `known` that `has`: the one whose kernels are most likely to behave alike. First by generation (the same
/// code), then by the ratio of peak to bandwidth (what binds), then by the size of the cache; the first of equals.
/// Null: none has.
const machine::Device* nearest_relative(const std::vector<machine::Device>& known, const machine::Device& device,
                                        const std::function<bool(const machine::Device&)>& has);

/// Gives a device of which only the datasheet is known the constants of its nearest relative in `known`; they are
/// shares and floors, so that rates stay its own. What the description has stays, too.
void complete_constants(const std::vector<machine::Device>& known, machine::Device& device);

}  // namespace orrery::llm
