#include "simulate/engine/deadlock.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace orrery::simulate {
namespace {

// More links of a circle than this are counted, not told.
constexpr std::size_t kMostTold = 12;

enum class Why : std::uint8_t { partner, dependency, turn, anybody };

struct Blocked {
  std::uint32_t rank = 0;  ///< a class of ranks; told as its first
  std::uint32_t activity = 0;
  Why why = Why::partner;  ///< it waits for the next one

  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> key() const { return {rank, activity}; }
};

class DeadlockFinder {
 public:
  DeadlockFinder(const JobPlan& plan, const RunState& state) : matching_(plan.matching), plan_(plan), state_(state) {}

  /// The circle, beginning with an activity that has started; or the way to one that waits for anybody.
  std::vector<Blocked> find() {
    std::vector<Blocked> chain;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> places;
    Blocked current = first_started();
    while (places.emplace(current.key(), chain.size()).second) {
      const Blocked next = blocker(current);
      chain.push_back(current);
      if (current.why == Why::anybody) return chain;
      current = next;
    }
    chain.erase(chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(places[current.key()]));
    const auto partner = std::find_if(chain.begin(), chain.end(), [](const Blocked& item) { return item.why == Why::partner; });
    if (partner != chain.end()) std::rotate(chain.begin(), partner, chain.end());
    return chain;
  }

 private:
  [[nodiscard]] bool started(std::uint32_t rank, std::uint32_t i) const { return at(state_.schedule.start_ps, rank, i) != kNotYet; }
  [[nodiscard]] bool ended(std::uint32_t rank, std::uint32_t i) const { return at(state_.schedule.end_ps, rank, i) != kNotYet; }
  [[nodiscard]] TimePs at(const Column<TimePs>& column, std::uint32_t rank, std::uint32_t i) const {
    return column[state_.first_activity[rank] + i];
  }
  [[nodiscard]] std::uint32_t first_of(std::uint32_t rank) const { return state_.classes.first(rank); }
  [[nodiscard]] const ProgramPlan& plan_of(std::uint32_t rank) const { return plan_.of_rank(first_of(rank)); }

  // One that has started and not ended exists: what has not started waits for something, and not for itself.
  [[nodiscard]] Blocked first_started() const {
    for (std::uint32_t rank = 0; rank < state_.ranks.size(); ++rank) {
      for (std::uint32_t i = 0; i < plan_of(rank).size(); ++i) {
        if (started(rank, i) && !ended(rank, i)) return {rank, i};
      }
    }
    return {};
  }

  // What `item` waits for; notes why.
  [[nodiscard]] Blocked blocker(Blocked& item) const {
    const ProgramPlan& plan = plan_of(item.rank);
    if (started(item.rank, item.activity)) {
      item.why = Why::partner;
      return plan.activities[item.activity].resource == Resource::collective ? absent_member(item) : other_side(item);
    }
    item.why = Why::dependency;
    const graph::Graph& dependencies = plan_.workload().program(first_of(item.rank)).dependencies;
    for (const graph::Slot slot : dependencies.incoming(item.activity)) {
      const std::uint32_t source = dependencies.source(slot);
      const bool start_is_enough = static_cast<workload::Dependency>(dependencies.type(slot)) == workload::Dependency::start;
      if (start_is_enough ? !started(item.rank, source) : !ended(item.rank, source)) return {item.rank, source};
    }
    item.why = Why::turn;
    for (const std::uint32_t earlier : plan.streams()[plan.activities[item.activity].stream].activities) {
      if (!ended(item.rank, earlier)) return {item.rank, earlier};
    }
    return item;
  }

  [[nodiscard]] Blocked absent_member(const Blocked& item) const {
    const Communicator& communicator = matching_.communicator(first_of(item.rank), item.activity);
    const std::uint32_t place = plan_of(item.rank).activities[item.activity].place;
    for (const std::uint32_t rank : state_.bundle(item.rank, plan_of(item.rank).activities[item.activity].stream).classes) {
      const std::uint32_t other = matching_.activity_of(communicator, first_of(rank), place);
      if (!started(rank, other)) return {rank, other};
    }
    return item;
  }

  [[nodiscard]] Blocked other_side(Blocked& item) const {
    const std::optional<Message> message = matching_.message(first_of(item.rank), item.activity);
    if (!message) {
      item.why = Why::anybody;
      return item;
    }
    const auto class_of = [&](std::uint32_t rank) { return state_.classes.class_of[rank]; };
    if (plan_of(item.rank).activities[item.activity].resource == Resource::send) return {class_of(message->target), message->recv};
    return {class_of(message->source), message->send};
  }

  const workload::Matching& matching_;
  const JobPlan& plan_;
  const RunState& state_;
};

// "the first" of a class stands for all of it.
std::string tell(const JobPlan& plan, const RunState& state, std::span<const Blocked> circle) {
  const auto describe = [&](const Blocked& item) { return plan.workload().describe(state.classes.first(item.rank), item.activity); };
  std::string text = describe(circle[0]);
  std::size_t told = 0;
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const bool last = i + 1 == circle.size();
    if (circle[i].why == Why::anybody) return text + (i == 0 ? " waits" : ", which waits") + " for a partner that never comes";
    // Of a chain of dependencies only the far end matters.
    if (!last && circle[i].why == Why::dependency && circle[i + 1].why == Why::dependency) continue;
    if (++told > kMostTold && !last) continue;
    if (told > kMostTold) text += fmt::format(", … ({} more)", told - kMostTold);
    const char* const relation = circle[i].why == Why::partner      ? "waits for"
                                 : circle[i].why == Why::dependency ? "comes after"
                                                                    : "is queued behind";
    text += fmt::format("{} {} {}", i == 0 ? "" : ", which", relation, last ? "the first: a circle" : describe(circle[i + 1]));
  }
  return text;
}

}  // namespace

Error explain_deadlock(const JobPlan& plan, const RunState& state) {
  const std::vector<Blocked> circle = DeadlockFinder(plan, state).find();
  return {.message = fmt::format("deadlock after {} with {} of {} activities done: {}", format_duration(state.now), state.done, state.total,
                                 tell(plan, state, circle))};
}

}  // namespace orrery::simulate
