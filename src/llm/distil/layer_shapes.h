// What tables of residuals a kind of kernels has.
#pragma once

#include <vector>

#include "llm/distil/table_fit.h"

namespace orrery::llm {

/// Layers that are added up, by the names of coordinates (machine/warm/warm_kernel.h). Numbers of knots and penalties
/// are those that left least over of groups of shapes that were not seen, on six devices.
std::vector<LayerShape> layer_shapes(machine::WarmKind kind);

}  // namespace orrery::llm
