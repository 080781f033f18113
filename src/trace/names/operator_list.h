// pytorch_operators.txt, which scripts/pytorch_operators.py writes: the operators, gradients and words of schemas that
// PyTorch has.
#pragma once

#include <string_view>

namespace orrery::trace {

/// Whether the file has `name` under a heading: "aten::" and the like, "gradients", "words".
bool is_listed(std::string_view heading, std::string_view name);

}  // namespace orrery::trace
