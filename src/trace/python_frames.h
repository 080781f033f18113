// Frames of Python call stacks as recorders write them: which of them are the program's own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery::trace {

/// Whether a source file belongs to PyTorch: "/x/site-packages/torch/nn/modules/module.py", "torch/_ops.py". A folder
/// of the user's that happens to be called torch does not.
bool is_torch_file(std::string_view path);

/// "train.py:73 in body": without folders, which differ between machines.
std::string frame_text(std::string_view path, std::int64_t line, std::string_view function);

}  // namespace orrery::trace
