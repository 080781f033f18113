// When software came out: what it spends on the same step changes over time.
#pragma once

#include <optional>
#include <string_view>

namespace orrery::llm {

struct SoftwareRelease {
  double year = 0, month = 0;  ///< 26, 6; 0: before all that differ
};
/// Later than all that are known.
inline constexpr SoftwareRelease kLatestRelease = {.year = 1e6, .month = 12};

/// Of "26.06" or a text that begins so ("26.06.01 pretraining"); none: it does not.
std::optional<SoftwareRelease> parse_release(std::string_view text);

}  // namespace orrery::llm
