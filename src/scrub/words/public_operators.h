// Which operators are PyTorch's own. Everybody has them, so that their names, schemas and the words among their
// arguments tell nothing but which of them were called; what a job registered itself (mylab::fused_router, also
// aten::fused_router) and what it calls its autograd functions is its own. Known is what is on a list
// (operator_list.h); how a name is spelt tells nothing.
#pragma once

#include <string_view>

namespace orrery::scrub {

/// "aten::mm", "c10d::allreduce_": operators of PyTorch and of the libraries published with it; not "aten::mm and
/// more", and not "aten::my_own".
bool is_public_operator(std::string_view name);

/// "autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0", "torch::autograd::AccumulateGrad": nodes
/// that PyTorch generates for its operators, whatever their number. "SecretLossBackward0", a program's own, is none.
bool is_public_gradient(std::string_view name);
/// What stands in front of a gradient's name where the engine evaluates it.
inline constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: ";

/// The schema of an operator that is public, in words that the schemas of such operators have.
bool is_public_schema(std::string_view text);

/// A text that operators of PyTorch choose among: the "tanh" of gelu, the "mean" of a reduction, "inf".
bool is_public_choice(std::string_view text);

/// What stands for a text that is not shown. Replay knows it, and does not call the operator with it.
inline constexpr std::string_view kHiddenText = "<hidden>";

}  // namespace orrery::scrub
