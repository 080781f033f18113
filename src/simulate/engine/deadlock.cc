#include "simulate/engine/deadlock.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace orrery::simulate {
namespace {

// More links of a circle than this are counted, not told.
constexpr std::size_t kMostTold = 12;

enum class Why : std::uint8_t { partner, dependency, turn };

struct Blocked {
  std::uint32_t rank = 0;
  std::uint32_t activity = 0;
  Why why = Why::partner;  ///< it waits for the next one

  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> key() const { return {rank, activity}; }
};

class DeadlockFinder {
 public:
  DeadlockFinder(const workload::Workload& workload, const JobPlan& plan, const RunState& state)
      : workload_(workload), plan_(plan), state_(state) {}

  /// The circle, beginning with an activity that has started.
  std::vector<Blocked> find() {
    std::vector<Blocked> chain;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> places;
    Blocked current = first_started();
    while (places.emplace(current.key(), chain.size()).second) {
      const Blocked next = blocker(current);
      chain.push_back(current);
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
    return column[plan_.first_activity[rank] + i];
  }
  [[nodiscard]] const ProgramPlan& plan_of(std::uint32_t rank) const { return plan_.programs[workload_.program_of_rank[rank]]; }

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
    const graph::Graph& dependencies = workload_.program(item.rank).dependencies;
    for (const graph::Slot slot : dependencies.incoming(item.activity)) {
      const std::uint32_t source = dependencies.source(slot);
      const bool start_is_enough = static_cast<workload::Dependency>(dependencies.type(slot)) == workload::Dependency::start;
      if (start_is_enough ? !started(item.rank, source) : !ended(item.rank, source)) return {item.rank, source};
    }
    item.why = Why::turn;
    for (const std::uint32_t earlier : plan.streams[plan.activities[item.activity].stream].activities) {
      if (!ended(item.rank, earlier)) return {item.rank, earlier};
    }
    return item;
  }

  [[nodiscard]] Blocked absent_member(const Blocked& item) const {
    const ProgramPlan& plan = plan_of(item.rank);
    const std::uint32_t number = plan_.communicator_of[workload_.program_of_rank[item.rank]][plan.activities[item.activity].stream];
    const Communicator& communicator = plan_.communicators[number];
    for (std::size_t m = 0; m < communicator.ranks.size(); ++m) {
      const std::uint32_t rank = communicator.ranks[m];
      if (rank >= state_.ranks.size()) continue;
      const std::uint32_t other = plan_of(rank).streams[communicator.stream_of_rank[m]].activities[plan.activities[item.activity].place];
      if (!started(rank, other)) return {rank, other};
    }
    return item;
  }

  [[nodiscard]] Blocked other_side(const Blocked& item) const {
    const Message& message =
        plan_.messages[plan_.message_numbers[plan_.first_message[item.rank] + plan_of(item.rank).activities[item.activity].stream]];
    if (plan_of(item.rank).activities[item.activity].resource == Resource::send) return {message.target, message.recv};
    return {message.source, message.send};
  }

  const workload::Workload& workload_;
  const JobPlan& plan_;
  const RunState& state_;
};

std::string tell(const workload::Workload& workload, std::span<const Blocked> circle) {
  std::string text = workload.describe(circle[0].rank, circle[0].activity);
  std::size_t told = 0;
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const bool last = i + 1 == circle.size();
    // Of a chain of dependencies only the far end matters.
    if (!last && circle[i].why == Why::dependency && circle[i + 1].why == Why::dependency) continue;
    if (++told > kMostTold && !last) continue;
    if (told > kMostTold) text += fmt::format(", … ({} more)", told - kMostTold);
    const char* const relation = circle[i].why == Why::partner      ? "waits for"
                                 : circle[i].why == Why::dependency ? "comes after"
                                                                    : "is queued behind";
    text += fmt::format("{} {} {}", i == 0 ? "" : ", which", relation,
                        last ? "the first: a circle" : workload.describe(circle[i + 1].rank, circle[i + 1].activity));
  }
  return text;
}

}  // namespace

Error explain_deadlock(const workload::Workload& workload, const JobPlan& plan, const RunState& state) {
  const std::vector<Blocked> circle = DeadlockFinder(workload, plan, state).find();
  return {.message = fmt::format("deadlock after {} with {} of {} activities done: {}", format_duration(state.now), state.done, state.total,
                                 tell(workload, circle))};
}

}  // namespace orrery::simulate
