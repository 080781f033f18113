// Which operators a kernel of Inductor fuses, by its name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::analyze {

/// Whether graphs that PyTorch's compiler makes kernels of call an operator by this name: ATen's and the prims.
bool is_compiled_operator(std::string_view name);

/// "triton_poi_fused_add_native_layer_norm_3" -> add, native_layer_norm; "triton_poi_fused_0" -> none at all. Nothing
/// of names that are not Inductor's.
///
/// The operators stand sorted, without repeats and joined by _, which they contain themselves. They are cut by the list
/// of PyTorch's operators: with the fewest words that belong to none, then in ascending order, then in the fewest
/// pieces. Words that stand together and belong to none are one operator: a library's own.
std::optional<std::vector<std::string>> fused_operators(std::string_view kernel);

}  // namespace orrery::analyze
