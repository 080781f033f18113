// The flags of verbs about devices, and those of --compat hta.
#pragma once

#include <string_view>
#include <vector>

#include "cli/frame/flag.h"

namespace orrery::cli {

/// --rank, --annotation, --instance, --csv and the input flags, behind the verb's own.
std::vector<Flag> with_device_flags(std::vector<Flag> flags);

// What each verb takes with --compat hta, --compat itself not included.
std::vector<Flag> hta_breakdown_flags();
std::vector<Flag> hta_kernels_flags();
std::vector<Flag> hta_launches_flags();
std::vector<Flag> hta_memory_flags();
std::vector<Flag> hta_blame_flags();
std::vector<Flag> hta_diff_flags();

/// A verb's own flags, --compat with these tools and the flags of HTA behind them.
std::vector<Flag> with_hta_flags(std::vector<Flag> flags, const std::vector<Flag>& hta_flags,
                                 std::string_view tools = "hta");

}  // namespace orrery::cli
