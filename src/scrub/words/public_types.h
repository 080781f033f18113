// Types of arguments in PyTorch's own words.
#pragma once

#include <string>
#include <string_view>

namespace orrery::scrub {

/// "GenericList[Tensor(float),__torch__.Secret]" -> "GenericList[Tensor(float),Object.Object]": words that every trace
/// has stay.
std::string public_type(std::string_view type);

}  // namespace orrery::scrub
