// What a device that was not measured takes over, and from whom.
#pragma once

#include <functional>
#include <vector>

#include "machine/device/device.h"
#include "machine/warm/borrowed_table.h"

namespace orrery::llm {

/// Close if both are of one generation, which run the same code, and have the same kind of memory, whatever its version
/// (HBM2e and HBM3); refreshed if one's generation refreshes the other's ("blackwell_ultra" and "blackwell") or its
/// products gain otherwise from narrower formats; the same if no rate tells them apart.
machine::Kinship kinship(const machine::Device& one, const machine::Device& other);

/// Of those in `known` that `has`: the one whose kernels are most likely to behave alike. First by generation (the same
/// code, then that of a refresh), then by the kind of memory, then by the ratio of peak to bandwidth (what binds), then
/// by the size of the cache; the first of equals. Null: none has.
const machine::Device* nearest_relative(const std::vector<machine::Device>& known, const machine::Device& device,
                                        const std::function<bool(const machine::Device&)>& has);

/// Gives a device of which only the datasheet is known the constants of its nearest relative in `known`; they are
/// shares and floors, so that rates stay its own. What the description has stays, too.
void complete_constants(const std::vector<machine::Device>& known, machine::Device& device);

}  // namespace orrery::llm
