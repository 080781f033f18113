// Which topology is which Fabric: the one place that knows all of them.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "machine/topology/dimension.h"
#include "machine/topology/fabric.h"

namespace orrery::machine {

/// Lays out a dimension without a violation and with a reasonable number of links. `places` is the dimension's size, or
/// for a fabric that spans the dimensions further in (see spans_inner) the product with theirs.
Result<std::unique_ptr<const Fabric>> make_fabric(const Dimension& dimension, std::uint32_t places);

/// Whether one instance connects all places of the dimensions further in, too.
bool spans_inner(const Dimension& dimension);

}  // namespace orrery::machine
