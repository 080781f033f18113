#include "replay/torch/source/unrecorded_makers.h"

#include <algorithm>

#include "replay/torch/source/recorded_steps.h"

namespace orrery::replay::torch {
namespace {

std::uint32_t first_replaced_work(const RankSource& source, const ChosenCalls& chosen) {
  std::uint32_t first = kNoNumber32;
  for (const LaunchedWork& work : source.works) {
    if (work.launch.row == causal::kNoRow || chosen.call_of[work.launch.row] == causal::kNoRow)
      first = std::min(first, work.launch.before);
  }
  return first;
}

}  // namespace

std::vector<std::uint8_t> find_unrecorded_makers(const RankSource& source, const ChosenCalls& chosen,
                                                 const trace::HostArguments& arguments, const Lifetimes& lifetimes) {
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
    is_unrecorded[i] = lifetime.maker == causal::kNoRow && !lifetime.is_on_host && first[i] != kNoNumber32 &&
                       first[i] > first_work && steps[first[i]] == steps[last[i]];
  }
  return is_unrecorded;
}

}  // namespace orrery::replay::torch
