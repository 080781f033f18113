#include "replay/torch/scale/scaled_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "replay/torch/source/recorded_steps.h"
#include "report/counted.h"

namespace orrery::replay::torch {
namespace {

struct StepCount {
  std::uint64_t calls = 0, changed = 0;
};

}  // namespace

Status check_steps_alike(const RankSource& source, const ChosenCalls& chosen, const std::vector<std::uint8_t>& has_changed) {
  const std::vector<std::uint32_t> step_of_visit = steps_of_visits(source);
  std::map<std::uint32_t, StepCount> counts;
  for (std::uint32_t i = 0; i < chosen.calls.size(); ++i) {
    StepCount& count = counts[step_of_visit[source.order.begin[chosen.rows[i]]]];
    ++count.calls;
    count.changed += has_changed[i];
  }
  std::uint64_t most = 0;
  for (const auto& [step, count] : counts) most = std::max(most, count.changed);
  for (const auto& [step, count] : counts) {
    // What lies before the first step is no step.
    if (step == 0 && counts.size() > 1) continue;
    if (count.changed * 2 < most && count.calls * 2 >= most)
      return Error{fmt::format("step {} of the recording has {}, of which {} would be scaled, where others have {}: its data was not found",
                               step, report::counted(count.calls, "operation"), count.changed, most),
                   source.host->path, Error::kNoOffset, "name the dimension by its size, as in size:2048"};
  }
  return {};
}

}  // namespace orrery::replay::torch
