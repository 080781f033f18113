// What sort of work a name stands for: what stays of it after scrubbing. docs/SCRUB.md has the table.
#pragma once

#include <string_view>

namespace orrery::scrub {

/// Where a name comes from, as far as its spelling tells: "op" (aten::mm), "kernel" (void at::native::...), "python"
/// (model.py(12): forward), or "name" for anything else.
std::string_view origin_of(std::string_view name);

/// "gemm", "attention", "norm", ... or "other". Depends on the name alone.
std::string_view class_of(std::string_view name);

/// The collective that communication named like this does, in the spelling of NCCL's kernels ("AllReduce"), or empty.
/// Looked for in the order in which linking and Chakra's converter look.
std::string_view collective_of(std::string_view name);

}  // namespace orrery::scrub
