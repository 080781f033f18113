#include "simulate/trace_rank/effective_sources.h"

#include <algorithm>

namespace orrery::simulate {

EffectiveSources::EffectiveSources(const workload::Program& program, const RankLanes& lanes,
                                   const Column<std::uint8_t>& is_delay)
    : program_(program), is_delay_(is_delay) {
  std::vector<std::uint32_t> place(program.size());
  for (std::uint32_t i = 0; i < lanes.order.size(); ++i) place[lanes.order[i]] = i;
  // In order: what a delay comes after has been seen through before.
  for (const std::uint32_t delay : lanes.order) {
    if (!this->is_delay(delay)) continue;
    std::vector<std::uint32_t> latest;
    for_each(delay, [&](std::uint32_t source) {
      const auto same_lane = std::find_if(latest.begin(), latest.end(), [&](std::uint32_t other) {
        return lanes.lane_of[other] == lanes.lane_of[source];
      });
      if (same_lane == latest.end()) latest.push_back(source);
      else if (place[source] > place[*same_lane]) *same_lane = source;
    });
    through_.emplace(delay, std::move(latest));
  }
}

}  // namespace orrery::simulate
