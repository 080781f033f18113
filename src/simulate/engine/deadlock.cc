// Why a run cannot go on: who waits for whom, all the way round.
#include "simulate/deadlock.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "base/wait_chain.h"
#include "simulate/engine/run_state.h"

namespace orrery::simulate {
namespace {

// More links of a cycle than this are counted, not told.
constexpr std::size_t kMostTold = 12;

enum class Why : std::uint8_t {
  partner,
  dependency,
  turn,
  later,  ///< a partner in a window that its rank has not come to: what that rank is at
  gone,   ///< a partner on a rank that has done everything
  anybody,
};

struct Blocked {
  std::uint32_t rank = 0;  ///< a class of ranks; told as its first
  std::uint64_t activity = 0;
  Why why = Why::partner;  ///< it waits for the next one
  bool has_ended = false;  ///< the rank has done everything, and `activity` is none

  [[nodiscard]] std::tuple<std::uint32_t, std::uint64_t, bool> key() const { return {rank, activity, has_ended}; }
};

class DeadlockFinder {
 public:
  DeadlockFinder(const workload::Membership& membership, const RunState& state)
      : membership_(membership), state_(state) {}

  /// The cycle, beginning with an activity that has started; or the way to one that waits for anybody, or for a rank
  /// that has ended.
  std::vector<Blocked> find() {
    WaitChain<Blocked> waits = follow_waits(
        first_started(), [&](Blocked& item) { return awaited_by(item); },
        [](const Blocked& item) { return item.key(); });
    std::vector<Blocked>& chain = waits.waiters;
    if (!waits.is_circle) return std::move(chain);
    const auto partner =
        std::find_if(chain.begin(), chain.end(), [](const Blocked& item) { return item.why == Why::partner; });
    // A cycle has no beginning; a wait for a partner is what people recognise.
    if (partner != chain.end()) std::rotate(chain.begin(), partner, chain.end());
    return std::move(chain);
  }

 private:
  // What was retired has ended.
  [[nodiscard]] bool started(std::uint32_t rank, std::uint64_t i) const {
    const LiveWindow* const window = state_.ranks[rank].find(i);
    return window == nullptr || window->has_started(i);
  }
  [[nodiscard]] bool ended(std::uint32_t rank, std::uint64_t i) const {
    const LiveWindow* const window = state_.ranks[rank].find(i);
    return window == nullptr || window->has_ended(i);
  }
  [[nodiscard]] std::uint32_t first_of(std::uint32_t rank) const { return state_.classes.first(rank); }
  [[nodiscard]] const LiveWindow& window_of(const Blocked& item) const {
    return *state_.ranks[item.rank].find(item.activity);
  }

  // One that has started and not ended exists: what has not started waits for something, and not for itself.
  [[nodiscard]] Blocked first_started() const {
    for (std::uint32_t rank = 0; rank < state_.ranks.size(); ++rank) {
      for (const LiveWindow& window : state_.ranks[rank].windows) {
        for (std::uint64_t i = window.first; window.has(i); ++i) {
          if (window.has_started(i) && !window.has_ended(i)) return {rank, i};
        }
      }
    }
    return {};
  }

  // None: it waits for anybody, or is a rank that has done everything.
  [[nodiscard]] std::optional<Blocked> awaited_by(Blocked& item) const {
    if (item.has_ended) return std::nullopt;
    Blocked next = blocker(item);
    if (item.why == Why::anybody) return std::nullopt;
    next.has_ended = item.why == Why::gone;
    return next;
  }

  // What `item` waits for; notes why.
  [[nodiscard]] Blocked blocker(Blocked& item) const {
    const LiveWindow& window = window_of(item);
    const PlannedActivity& planned = window.plan(item.activity);
    if (window.has_started(item.activity)) {
      item.why = Why::partner;
      return planned.resource == Resource::collective ? absent_member(item) : other_side(item);
    }
    item.why = Why::dependency;
    const graph::Graph& dependencies = window.planned->program->dependencies;
    for (const graph::Slot slot : dependencies.incoming(static_cast<graph::NodeId>(item.activity - window.first))) {
      const auto type = static_cast<workload::Dependency>(dependencies.type(slot));
      if (is_open(item.rank, window.first + dependencies.source(slot), type))
        return {item.rank, window.first + dependencies.source(slot)};
    }
    for (const workload::CarriedDependency& edge : window.planned->carried) {
      if (window.first + edge.target == item.activity && is_open(item.rank, edge.source, edge.type))
        return {item.rank, edge.source};
    }
    item.why = Why::turn;
    for (const LiveWindow& earlier : state_.ranks[item.rank].windows) {
      for (const std::uint32_t i : earlier.planned->lines->streams[planned.stream].activities) {
        if (!earlier.has_ended(earlier.first + i)) return {item.rank, earlier.first + i};
      }
    }
    return item;
  }

  [[nodiscard]] bool is_open(std::uint32_t rank, std::uint64_t source, workload::Dependency type) const {
    return type == workload::Dependency::start ? !started(rank, source) : !ended(rank, source);
  }

  [[nodiscard]] Blocked absent_member(Blocked& item) const {
    const LiveWindow& window = window_of(item);
    const PlannedActivity& planned = window.plan(item.activity);
    const std::uint64_t place = window.planned->first_on_stream[planned.stream] + planned.place;
    const StringId name = membership_.structure(first_of(item.rank)).group_names[planned.stream];
    for (const std::uint32_t rank : state_.bundles.all[state_.bundles.number(item.rank, planned.stream)].classes) {
      const std::uint64_t other =
          state_.ranks[rank].on_stream(membership_.structure(first_of(rank)).find_stream(name), place);
      if (other == kNoActivity) return not_there_yet(item, rank);
      if (!started(rank, other)) return {rank, other};
    }
    return item;
  }

  [[nodiscard]] Blocked other_side(Blocked& item) const {
    const LiveWindow& window = window_of(item);
    const workload::LinePlace place = window.planned->lines->places[item.activity - window.first];
    const std::uint32_t here = first_of(item.rank);
    const workload::ChannelKey& channel = membership_.structure(here).channels[place.line];
    const std::uint32_t other = membership_.peer(here, channel);
    if (other == workload::Membership::kNoRank || membership_.takes_as_posted(channel.is_send ? other : here)) {
      item.why = Why::anybody;
      return item;
    }
    const std::uint32_t rank = state_.classes.class_of[other];
    const std::uint64_t partner = state_.ranks[rank].on_channel(
        membership_.facing(here, channel), window.planned->first_on_channel[place.line] + place.place);
    if (partner == kNoActivity) return not_there_yet(item, rank);
    return {rank, partner};
  }

  // The partner of `item` is in a window of `rank` that is still to come, or in none.
  [[nodiscard]] Blocked not_there_yet(Blocked& item, std::uint32_t rank) const {
    for (const LiveWindow& window : state_.ranks[rank].windows) {
      for (std::uint64_t i = window.first; window.has(i); ++i) {
        if (window.has_ended(i)) continue;
        item.why = Why::later;
        return {rank, i};
      }
    }
    item.why = Why::gone;
    return {rank, 0};
  }

  const workload::Membership& membership_;
  const RunState& state_;
};

const char* relation_of(Why why) {
  switch (why) {
    case Why::partner: return "waits for";
    case Why::dependency: return "comes after";
    case Why::turn: return "is queued behind";
    default: return "waits for what comes after";
  }
}

// "the first" of a class stands for all of it.
std::string tell(const workload::Workload& job, const RunState& state, std::span<const Blocked> chain) {
  const auto describe = [&](const Blocked& item) {
    const LiveWindow& window = *state.ranks[item.rank].find(item.activity);
    return job.describe(state.classes.first(item.rank), *window.planned->program, item.activity - window.first);
  };
  std::string text = describe(chain[0]);
  std::size_t told = 0;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const bool last = i + 1 == chain.size();
    const std::string_view who = i == 0 ? "" : ", which";
    if (chain[i].why == Why::anybody) return fmt::format("{}{} waits for a partner that never comes", text, who);
    if (chain[i].why == Why::gone)
      return fmt::format("{}{} waits for rank {}, which has nothing left to do", text, who,
                         state.classes.first(chain[i + 1].rank));
    // Of a chain of dependencies only the far end matters.
    if (!last && chain[i].why == Why::dependency && chain[i + 1].why == Why::dependency) continue;
    if (++told > kMostTold && !last) continue;
    if (told > kMostTold) text += fmt::format(", … ({} more)", told - kMostTold);
    text +=
        fmt::format("{} {} {}", who, relation_of(chain[i].why), last ? "the first: a cycle" : describe(chain[i + 1]));
  }
  return text;
}

}  // namespace

Error explain_deadlock(const workload::Membership& membership, const RunState& state, std::uint64_t total) {
  const std::vector<Blocked> chain = DeadlockFinder(membership, state).find();
  return deadlock(state.now, state.done, total, "activities", tell(membership.job(), state, chain));
}

}  // namespace orrery::simulate
