// A network of which a job timed its own collectives. What groups of its ranks get follows from two causes: a ring of g
// ranks takes a step per rank, each with a latency, and its bytes leave nodes through the ports of the ranks it has
// there,
//
//     t = g lambda + (g - 1)/g bytes / (B ranks per node / devices of a node)
//
// an all-reduce twice as many steps and bytes. Jobs on the same machines differ by a factor of ten in the bandwidth
// that they find, and nearly all of it is lambda: with the size of the buffer that is timed, a job's own figure says
// it.
#pragma once

#include "llm/frameworks.h"
#include "llm/measurements.h"
#include "llm/steps/folded_step.h"
#include "machine/device/device.h"

namespace orrery::llm {

/// Prices of the communication of `plan`, whose job found `bus`; where it did not say, the cluster's usual latency
/// stands for it. All must outlive the function. `cluster` has rings.
CommPrice measured_prices(const StepPlan& plan, const machine::Device& device, const Cluster& cluster,
                          const MeasuredBus& bus);

}  // namespace orrery::llm
