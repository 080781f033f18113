#include "analyze/blame/throttled.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "base/statistics.h"
#include "base/units.h"

namespace orrery::analyze {
namespace {

constexpr double kThrottledBelow = 0.95;

}  // namespace

std::vector<std::optional<Throttled>> find_throttled(const causal::CausalGraph& job) {
  std::vector<std::optional<Throttled>> throttled(job.ranks.size());
  std::vector<double> clocks;
  for (const causal::JobRank& rank : job.ranks) {
    if (rank.clock.is_known()) clocks.push_back(rank.clock.mhz());
  }
  if (clocks.empty()) return throttled;
  const double typical = median(clocks);
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    const causal::DeviceClock& clock = job.ranks[r].clock;
    if (clock.is_known() && clock.mhz() < kThrottledBelow * typical)
      throttled[r] = Throttled{clock.mhz(), typical, causal::reasons_in_words(clock.reasons)};
  }
  return throttled;
}

std::string in_words(const Throttled& throttled) {
  const auto mhz = [](double value) { return format_count(static_cast<std::uint64_t>(std::llround(value))); };
  return fmt::format("{} MHz instead of {}{}{}", mhz(throttled.mhz), mhz(throttled.typical_mhz),
                     throttled.reasons.empty() ? "" : ": ", fmt::join(throttled.reasons, ", "));
}

}  // namespace orrery::analyze
