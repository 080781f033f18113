// What the categories of profilers mean.
#pragma once

#include <string_view>

#include "trace/activity.h"

namespace orrery::trace {

/// Meaning of a category as PyTorch's profiler calls it: today ("kernel"), before 2022 ("Kernel"), on MTIA and ROCm;
/// also where another format carries the same names. `other` for all that are unknown.
Activity activity_of_category(std::string_view category);

}  // namespace orrery::trace
