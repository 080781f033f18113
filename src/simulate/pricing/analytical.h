// Communication by closed forms: alpha + beta, dimension by dimension. Knows no links, so nothing ever meets, and costs
// nothing to ask.
//
// A group along one dimension takes what simulate/pricing/analytical.h says of its algorithm; `auto` takes the
// cheapest. A group along several goes through them one after the other, innermost first, as `hierarchical` does, by
// the algorithm that the machine names in each. Switches never block: fat trees, leaves and spines, rails and
// dragonflies count as switches of their ports' bandwidth, whatever their oversubscription.
#pragma once

#include "base/result.h"
#include "machine/machine.h"
#include "simulate/collective/algorithm.h"
#include "simulate/network_model.h"

namespace orrery::simulate {

/// Of one operation. An Error says what there is no closed form for: a mesh, a torus or a list of cables, a group that
/// does not fill the dimensions evenly, parts of unequal size, an algorithm that is not made for the dimension.
Result<Price> analytical_price(const CommOp& op, const machine::Machine& machine, const CommOptions& options);

}  // namespace orrery::simulate
