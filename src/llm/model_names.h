// Which architecture a name in a table means: "Llama3-70B (FP8)", "DeepSeek V3", "QWEN3_30B_a3B".
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "llm/architecture.h"

namespace orrery::llm {

/// Lower case, letters and digits only, remarks in parentheses left out: "Llama 3.1 (8B)" -> "llama31".
std::string normalised_name(std::string_view name);

/// The one whose name or alias is `name`; else the one with the longest of those that `name` begins with; else one of
/// the size that the name tells
/// ("30B a3B": all and active parameters in 10^9), as a hybrid of about that work. None if there is no size in it
/// either.
std::optional<Architecture> architecture_called(const std::vector<Architecture>& known, std::string_view name);

}  // namespace orrery::llm
