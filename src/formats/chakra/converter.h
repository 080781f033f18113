// chakra_converter PyTorch 1.0.0, exactly: a linked trace into a Chakra execution trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "trace/host_trace.h"

namespace orrery::chakra {

// What chakra_converter makes of a communication kernel: the kind of collective from its name, the bytes from the
// inputs of its operator.

/// A value of comm_type. "ncclDevKernel_AllReduce_Sum_f32_RING_LL" -> all_reduce. Nothing: chakra_converter does not
/// know it.
std::optional<std::int64_t> comm_type_of_kernel(std::string_view name);

/// The bytes of all tensors among `inputs` ({"values": [...], "types": [...], ...}): elements times bytes per element,
/// those of a "GenericList[Tensor..." one by one. `inputs` is followed by at least 64 readable bytes. Nothing: a value
/// that is said to be a tensor is none, or the sum does not fit.
std::optional<std::int64_t> bytes_of_inputs(std::string_view inputs);

/// The bytes of the .et file. An Error says on what the original stops: a schema, a kind of collective, a cycle.
Result<std::string> convert_linked_trace(const trace::HostTrace& linked, const Interner& strings);

}  // namespace orrery::chakra
