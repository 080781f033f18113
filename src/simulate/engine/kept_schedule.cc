#include "simulate/engine/kept_schedule.h"

#include <fmt/format.h>

#include <utility>

namespace orrery::simulate {
namespace {

constexpr TimePs kNotYet = -1;

// What is known of a class, for each of its members.
template <typename T>
Column<T> for_every_rank(const Column<T>& of_classes, std::span<const std::uint64_t> first,
                         const RankClasses& classes) {
  std::uint64_t total = 0;
  for (const std::uint32_t number : classes.class_of) total += first[number + 1] - first[number];
  Column<T> of_ranks;
  of_ranks.reserve(total);
  for (const std::uint32_t number : classes.class_of)
    of_ranks.append(std::span<const T>(of_classes.data() + first[number], first[number + 1] - first[number]));
  return of_ranks;
}

}  // namespace

Status KeptSchedule::begin(const RunLayout& layout) {
  first_activity_.assign(1, 0);
  first_collective_.assign(1, 0);
  for (std::uint32_t c = 0; c < layout.classes.size(); ++c) {
    const auto& length = layout.membership.structure(layout.classes.first(c)).length;
    if (!length)
      return Error{.message = fmt::format("rank {} does not say how long its program is", layout.classes.first(c))};
    first_activity_.push_back(first_activity_.back() + length->activities);
  }
  for (const Bundle& bundle : layout.bundles.all) {
    const workload::Communicator& communicator = layout.membership.communicators()[bundle.communicators[0]];
    const workload::ProgramStructure& program = layout.membership.structure(communicator.ranks[0]);
    first_collective_.push_back(first_collective_.back() +
                                program.length->collectives[program.find_stream(communicator.name)]);
  }
  schedule_ = Schedule();
  schedule_.start_ps.assign(first_activity_.back(), kNotYet);
  schedule_.end_ps.assign(first_activity_.back(), kNotYet);
  schedule_.collectives.assign(first_collective_.back(), CollectiveUse{});
  if (!with_causes_) return {};
  schedule_.causes.kinds.assign(first_activity_.back(), static_cast<std::uint8_t>(CauseKind::begin));
  schedule_.causes.activities.assign(first_activity_.back(), 0);
  schedule_.causes.last_places.assign(first_activity_.back(), kItself);
  return {};
}

void KeptSchedule::message_taken(const TakenMessage& message) {
  schedule_.taken.push_back({message.source, message.target, static_cast<std::uint32_t>(message.send),
                             static_cast<std::uint32_t>(message.recv), message.bytes});
}

void KeptSchedule::start_explained(const ExecutedActivity& activity, const StartCause& cause, TimePs /*now*/) {
  const std::uint64_t number = first_activity_[activity.rank_class] + activity.number;
  schedule_.causes.kinds[number] = static_cast<std::uint8_t>(cause.kind);
  schedule_.causes.activities[number] = static_cast<std::uint32_t>(cause.activity);
}

Schedule KeptSchedule::take(const RunLayout& layout, Detail detail) {
  if (layout.classes.is_trivial()) return std::move(schedule_);
  if (detail == Detail::executed_ranks) {
    for (std::size_t b = 0; b < layout.bundles.all.size(); ++b) {
      for (std::uint64_t i = first_collective_[b]; i < first_collective_[b + 1]; ++i)
        schedule_.collectives[i].instances = static_cast<std::uint32_t>(layout.bundles.all[b].communicators.size());
    }
    return std::move(schedule_);
  }
  schedule_.start_ps = for_every_rank(schedule_.start_ps, first_activity_, layout.classes);
  schedule_.end_ps = for_every_rank(schedule_.end_ps, first_activity_, layout.classes);
  if (with_causes_) {  // they speak of activities and places, which are the same for all of a class
    KeptCauses& causes = schedule_.causes;
    causes.kinds = for_every_rank(causes.kinds, first_activity_, layout.classes);
    causes.activities = for_every_rank(causes.activities, first_activity_, layout.classes);
    causes.last_places = for_every_rank(causes.last_places, first_activity_, layout.classes);
  }
  Column<CollectiveUse> uses;
  for (const std::uint32_t bundle : layout.bundles.of_communicator) {
    uses.append(std::span<const CollectiveUse>(schedule_.collectives.data() + first_collective_[bundle],
                                               first_collective_[bundle + 1] - first_collective_[bundle]));
  }
  schedule_.collectives = std::move(uses);
  return std::move(schedule_);
}

}  // namespace orrery::simulate
