#include "replay/torch/unrecorded_makers.h"

#include <algorithm>

namespace orrery::replay::torch {
namespace {

// Per visit: the number of the step that it lies in.
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

std::uint32_t first_replaced_work(const RankSource& source, const ChosenCalls& chosen) {
  std::uint32_t first = kNoNumber32;
  for (const LaunchedWork& work : source.works) {
    if (work.launch.row == link::kNoRow || chosen.call_of[work.launch.row] == link::kNoRow) first = std::min(first, work.launch.before);
  }
  return first;
}

}  // namespace

std::vector<std::uint8_t> find_unrecorded_makers(const RankSource& source, const ChosenCalls& chosen, const trace::HostArguments& arguments,
                                                 const Lifetimes& lifetimes) {
  std::vector<std::uint8_t> is_unrecorded(lifetimes.all.size(), 0);
  const std::uint32_t first_work = first_replaced_work(source, chosen);
  const std::vector<std::uint32_t> steps = steps_of_visits(source);
  // One step says nothing about what is there in all of them.
  if (first_work == kNoNumber32 || steps.empty() || steps.back() < 2) return is_unrecorded;
  std::vector<std::uint32_t> first(lifetimes.all.size(), kNoNumber32), last(lifetimes.all.size(), 0);
  for (std::uint32_t row = 0; row < source.host->size(); ++row) {
    for (std::uint32_t use = arguments.first[row]; use < arguments.first[row + 1]; ++use) {
      const std::uint32_t lifetime = lifetimes.of_use[use];
      if (lifetime == kNoLifetime) continue;
      first[lifetime] = std::min(first[lifetime], source.order.begin[row]);
      last[lifetime] = std::max(last[lifetime], source.order.begin[row]);
    }
  }
  for (std::size_t i = 0; i < lifetimes.all.size(); ++i) {
    const Lifetime& lifetime = lifetimes.all[i];
    is_unrecorded[i] = lifetime.maker == link::kNoRow && !lifetime.is_on_host && first[i] != kNoNumber32 && first[i] > first_work &&
                       steps[first[i]] == steps[last[i]];
  }
  return is_unrecorded;
}

}  // namespace orrery::replay::torch
