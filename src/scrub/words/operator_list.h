// pytorch_operators.txt, which scripts/pytorch_operators.py writes: the operators, gradients and words of schemas that
// PyTorch has.
#pragma once

#include <string_view>

namespace orrery::scrub {

/// As the file is: "aten::" and the like, "gradients", "words" at the beginning of a line, what there is of each behind
/// a blank on those that follow.
std::string_view operator_list();

}  // namespace orrery::scrub
