// Frames of Python call stacks as recorders write them: which of them are the program's own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery::trace {

/// Whether lines of a source file are the program's: Python, but not PyTorch's own
/// ("/x/site-packages/torch/nn/linear.py", "torch/_ops.py") and not the decorators that Python puts around its calls. A
/// folder of the user's that happens to be called torch is the program's. Compiled code has names of files without
/// lines, if any.
bool is_program_file(std::string_view path);

/// "AddmmBackward0" of "torch::autograd::generated::AddmmBackward0::apply(...)"; empty: no node of autograd. Threads of
/// autograd run no line of the program, and this is what they work at.
std::string_view autograd_node(std::string_view function);

/// "train.py:73 in body": without folders, which differ between machines.
std::string frame_text(std::string_view path, std::int64_t line, std::string_view function);

}  // namespace orrery::trace
