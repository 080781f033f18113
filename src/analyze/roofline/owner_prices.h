// What the device allows the works of a causal graph: their kinds of operators, and which share of their measured time
// they would take at the roof, or as good kernels do.
#pragma once

#include <optional>
#include <vector>

#include "analyze/roofline/operator_kind.h"
#include "causal/causal_graph.h"
#include "machine/device/device.h"
#include "machine/device/kernel_gemm.h"
#include "trace/trace.h"

namespace orrery::analyze {

/// Several works of one call share its price in proportion to their time.
struct OwnerPrice {
  std::optional<OperatorKind> kind;  ///< none: there is no formula for what it is
  std::optional<double> roof;        ///< share of the measured time, at most 1; none: no price on this device
  std::optional<double> achievable;  ///< the same by the kernel model; between `roof` and 1
  std::optional<machine::GemmShape> product = {};  ///< of a gemm: what is multiplied
};

/// Per owner of the graph; all of them without a price if nothing is known of any. `trace`: what the graph was made of,
/// read with its operands. An Error: the works of a rank cannot be told.
Result<std::vector<OwnerPrice>> price_owners(const causal::CausalGraph& job, const trace::Trace& trace,
                                             const machine::Device& device);

}  // namespace orrery::analyze
