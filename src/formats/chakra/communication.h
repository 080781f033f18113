// What chakra_converter makes of a communication kernel: the kind of collective from its name, the bytes from the inputs of its operator.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery::chakra {

/// A value of comm_type. "ncclDevKernel_AllReduce_Sum_f32_RING_LL" -> all_reduce. Nothing: chakra_converter does not know it.
std::optional<std::int64_t> comm_type_of_kernel(std::string_view name);

/// The bytes of all tensors among `inputs` ({"values": [...], "types": [...], ...}): elements times bytes per element, those of a
/// "GenericList[Tensor..." one by one. `inputs` is followed by at least 64 readable bytes. Nothing: a value that is said to be a tensor is none,
/// or the sum does not fit.
std::optional<std::int64_t> bytes_of_inputs(std::string_view inputs);

}  // namespace orrery::chakra
