// The part of Run that deals with windows of programs.
#include <fmt/format.h>

#include <algorithm>

#include "base/interrupt.h"
#include "simulate/engine/run.h"

namespace orrery::simulate {
namespace {

using workload::CarriedDependency;
using workload::Dependency;

// What was retired has ended.
bool is_satisfied(const RankState& state, const CarriedDependency& edge) {
  const LiveWindow* const window = state.find(edge.source);
  if (window == nullptr) return true;
  return edge.type == Dependency::start ? window->has_started(edge.source) : window->has_ended(edge.source);
}

}  // namespace

// The next window of a rank, at a moment when whatever has ended has released its successors: so that nobody is
// released twice.
Status Run::open_window(std::uint32_t rank) {
  // Both are asked here, because a rank that does nothing goes through all of its windows at one moment.
  stop_if_requested();
  if (has_no_end()) {
    return Error{.message = fmt::format(
                     "the job has {} activities, and nothing comes again in it that could be passed over", total_),
                 .hint = "fewer iterations"};
  }
  Result<SharedWindow> next = supply_.next(rank);
  if (!next) return next.error();
  RankState& state = state_.ranks[rank];
  if (*next == nullptr) {
    state.is_complete = true;
    if (state.windows.empty()) --state_.unfinished;
    return {};
  }
  LiveWindow window;
  window.planned = std::move(*next);
  window.first = window.planned->first_activity;
  window.left = window.planned->size();
  const CounterSlabs::Piece piece = state_.counters.take(window.left);
  window.waiting = piece.counters;
  window.slab = piece.slab;
  for (std::size_t i = 0; i < window.left; ++i) window.waiting[i] = window.planned->plan.activities[i].dependency_count;
  for (const CarriedDependency& edge : window.planned->carried) {
    if (!is_satisfied(state, edge)) {
      ++window.waiting[edge.target];
      continue;
    }
    if (lookahead_) lookahead_->note_carried(rank, edge.source);
  }
  add_slots(state, window.planned->plan);
  state.windows.push_back(std::move(window));
  LiveWindow& opened = state.windows.back();  // nothing below adds or removes windows
  if (causes_) causes_->opened(rank, opened);
  for (std::uint64_t i = 0; i < opened.waiting.size(); ++i) {
    if (opened.waiting[i] != 0) continue;
    if (lookahead_) lookahead_->note_ready(rank, opened.plan(opened.first + i), std::nullopt);
    make_ready(rank, opened, opened.first + i);
  }
  return {};
}

// A rank that has begun a window gets the next one: something of it may become ready at any moment from now on.
Status Run::open_entered() {
  release_successors();
  while (!entered_.empty()) {
    const std::uint32_t rank = entered_.back();
    entered_.pop_back();
    if (Status status = open_window(rank); !status) return status;
    release_successors();
  }
  return {};
}

// A program that was recorded on more threads or streams has as many slots as it had then.
void Run::add_slots(RankState& state, const ProgramPlan& plan) {
  const std::uint32_t given[kSlotKinds] = {options_.compute_slots, options_.host_slots, options_.memory_slots};
  for (std::size_t kind = 0; kind < kSlotKinds; ++kind) {
    const std::uint32_t slots = std::max({state.slots[kind], given[kind], plan.recorded_lanes[kind]});
    state.free_slots[kind] += slots - state.slots[kind];
    state.slots[kind] = slots;
  }
}

void Run::retire(std::uint32_t rank, LiveWindow& window) {
  RankState& state = state_.ranks[rank];
  if (causes_) causes_->retired(rank, window);
  state_.counters.give_back({window.waiting, window.slab});
  state.windows.erase(state.windows.begin() + (&window - state.windows.data()));
  if (state.windows.empty() && state.is_complete) --state_.unfinished;
}

// Whether activities of windows that are there already wait for the start of this one.
bool Run::starts_carried(const RankState& state, const LiveWindow& window, std::uint64_t activity) const {
  return std::any_of(state.windows.begin(), state.windows.end(), [&](const LiveWindow& later) {
    if (later.first <= window.first) return false;
    const auto edges = later.planned->carried_from(activity);
    return std::any_of(edges.begin(), edges.end(),
                       [](const CarriedDependency& edge) { return edge.type == Dependency::start; });
  });
}

}  // namespace orrery::simulate
