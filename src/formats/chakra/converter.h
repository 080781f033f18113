// chakra_converter PyTorch 1.0.0, exactly: a linked trace into a Chakra execution trace.
#pragma once

#include <string>

#include "base/result.h"
#include "trace/host_trace.h"

namespace orrery::chakra {

/// The bytes of the .et file. An Error says on what the original stops: a schema, a kind of collective, a cycle.
Result<std::string> convert_linked_trace(const trace::HostTrace& linked, const Interner& strings);

}  // namespace orrery::chakra
