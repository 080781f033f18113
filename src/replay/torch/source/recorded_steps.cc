#include "replay/torch/source/recorded_steps.h"

namespace orrery::replay::torch {

std::vector<std::uint32_t> steps_of_visits(const RankSource& source) {
  std::vector<std::uint32_t> steps(source.order.visits.size(), 0);
  std::uint32_t step = 0;
  for (std::size_t v = 0; v < steps.size(); ++v) {
    const Visit visit = source.order.visits[v];
    if (!visit.is_end && source.strings->text(source.host->name[visit.row]).starts_with("ProfilerStep")) ++step;
    steps[v] = step;
  }
  return steps;
}

}  // namespace orrery::replay::torch
