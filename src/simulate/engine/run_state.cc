#include "simulate/engine/run_state.h"

namespace orrery::simulate {
namespace {

void add_bundles(const JobPlan& plan, RunState& state) {
  const workload::Matching& matching = plan.matching;
  state.bundle_of.assign(state.first_stream.back(), kNone);
  std::uint64_t count = 0;
  for (std::uint32_t c = 0; c < matching.communicators().size(); ++c) {
    const Communicator& communicator = matching.communicators()[c];
    const auto place_of = [&](std::uint32_t rank) -> std::uint32_t& {
      const std::uint32_t stream = matching.lines(rank).find_stream(communicator.name);
      return state.bundle_of[state.first_stream[state.classes.class_of[rank]] + stream];
    };
    // Of all communicators that a class has by this name the members' classes are the same: the first member tells.
    std::uint32_t& number = place_of(communicator.ranks[0]);
    if (number == kNone) {
      number = static_cast<std::uint32_t>(state.bundles.size());
      state.bundles.push_back({{}, {}, count});
      count += communicator.operation_count;
      std::vector<std::uint32_t>& classes = state.bundles.back().classes;
      classes.push_back(state.classes.class_of[communicator.ranks[0]]);
      for (const std::uint32_t rank : communicator.ranks) {
        if (place_of(rank) == number) continue;
        place_of(rank) = number;
        classes.push_back(state.classes.class_of[rank]);
      }
    }
    state.bundles[number].communicators.push_back(c);
    state.bundle_of_communicator.push_back(number);
  }
  state.collectives.resize(count, {});
}

}  // namespace

RunState::RunState(const JobPlan& plan, RankClasses rank_classes) : classes(std::move(rank_classes)) {
  first_activity.push_back(0);
  first_stream.push_back(0);
  first_message.push_back(0);
  for (std::uint32_t c = 0; c < classes.size(); ++c) {
    const workload::ProgramLines& lines = plan.matching.lines(classes.first(c));
    first_activity.push_back(first_activity.back() + plan.of_rank(classes.first(c)).size());
    first_stream.push_back(first_stream.back() + lines.streams.size());
    first_message.push_back(first_message.back() + lines.sends.size());
  }
  total = first_activity.back();
  schedule.start_ps.assign(total, kNotYet);
  schedule.end_ps.assign(total, kNotYet);
  schedule.ranks.assign(classes.size(), RankUse{});
  waiting.reserve(total);
  for (std::uint32_t c = 0; c < classes.size(); ++c) {
    for (const PlannedActivity& activity : plan.of_rank(classes.first(c)).activities) waiting.push_back(activity.dependency_count);
  }
  ranks.resize(classes.size());
  streams.resize(first_stream.back());
  add_bundles(plan, *this);
  schedule.collectives.assign(collectives.size(), CollectiveUse{});
}

}  // namespace orrery::simulate
