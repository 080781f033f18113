#include "simulate/engine/lookahead.h"

#include <algorithm>
#include <utility>

#include "workload/collective_parts.h"

// A rank's running activities are executed moment by moment on its own state, as Run would, while each end releases
// only what waits within the window and for nothing else. It stops at the first end that anybody else may wait for;
// what still runs goes into the queue. If later something becomes ready that should have come in between, the run is
// declared wrong and repeated without lookahead: so a wrong guess costs time, never the answer.

namespace orrery::simulate {
namespace {

constexpr std::size_t kComputeSlots = static_cast<std::size_t>(Resource::compute);
constexpr std::uint32_t kMostMomentsAhead = 4096;  // so that a run can be stopped, and tells of its progress

}  // namespace

Lookahead::Lookahead(const workload::Membership& membership, NetworkLookahead* network,
                     StartedOperations& started_operations, bool is_checked, RunState& state, EndQueue& queue,
                     ScheduleSink& sink)
    : membership_(membership),
      network_(network),
      started_operations_(started_operations),
      is_checked_(is_checked),
      state_(state),
      queue_(queue),
      sink_(sink),
      ranks_(state.ranks.size()) {}

bool Lookahead::begin_collective(std::uint32_t rank, const LiveWindow& window, std::uint64_t activity) {
  const std::optional<TimePs> end_ps = commit(rank, window, activity, state_.now);
  if (end_ps) begun_.push_back({rank, activity, *end_ps});
  return end_ps.has_value();
}

void Lookahead::run_ahead() {
  if (begun_.size() > 1)
    std::sort(begun_.begin(), begun_.end(), [](const Begun& a, const Begun& b) { return a.rank < b.rank; });
  for (auto begin = begun_.begin(); begin != begun_.end();) {
    const auto end = std::find_if(begin, begun_.end(), [&](const Begun& other) { return other.rank != begin->rank; });
    run_rank(std::span(begin, end));
    begin = end;
  }
  begun_.clear();
}

/// Of one rank.
void Lookahead::run_rank(std::span<const Begun> begun) {
  const std::uint32_t rank = begun[0].rank;
  const RankState& state = state_.ranks[rank];
  running_.clear();
  std::uint32_t computing = 0;
  for (const Begun& one : begun) {
    state_.overflow = state_.overflow || one.end_ps >= kMaxSimulatedPs;
    running_.push_back({one.end_ps, one.activity});
    computing += state.find(one.activity)->plan(one.activity).resource == Resource::compute ? 1 : 0;
  }
  // Whatever else runs on the rank ends at some moment of its own, and what waits for it then would come in between.
  const StreamState* const streams = state_.streams.data();
  const auto communicating =
      std::count_if(streams + state_.bundles.first_stream[rank], streams + state_.bundles.first_stream[rank + 1],
                    [](const StreamState& stream) { return stream.is_running; });
  const bool is_all =
      state.computing == computing && static_cast<std::size_t>(communicating) + computing == begun.size();
  const bool is_at_present =
      ranks_[rank].until_ps <= state_.now;  // else what is known of the rank is of a later moment
  if (is_all && is_at_present && state.ready[kComputeSlots].empty() && !state_.overflow) execute(rank);
  for (const Running& one : running_) queue_.push(one.end_ps, {rank, one.activity});
}

/// Executes what follows from running_, which is all that runs, as long as it concerns the rank alone.
void Lookahead::execute(std::uint32_t rank) {
  if (running_.empty()) return;
  RankState& state = state_.ranks[rank];
  const std::uint64_t first =
      std::min_element(running_.begin(), running_.end(), [](const Running& a, const Running& b) {
        return a.activity < b.activity;
      })->activity;
  LiveWindow& window = state.window(first);
  std::uint64_t limit =
      window.first + window.waiting.size();  // activities from here on are of other windows, or these wait for them
  for (const LiveWindow& later : state.windows) {
    if (later.first > window.first) limit = std::min(limit, later.planned->first_carried_from(first));
  }
  Extent& extent = ranks_[rank];
  TimePs until = -1;
  extent.streams = 0;
  extent.changes.clear();
  extent.next_change = 0;
  extent.at_once = kNoActivity;
  for (std::uint32_t moments = 0; moments < kMostMomentsAhead && !running_.empty(); ++moments) {
    TimePs when = kNever;
    for (const Running& one : running_) when = std::min(when, one.end_ps);
    const auto is_local = [&](const Running& one) {
      return one.end_ps > when || has_local_successors(window, one.activity, limit);
    };
    // A moment is taken whole or not at all: if one of its ends concerns others, all wait for the engine.
    if (when >= kMaxSimulatedPs || !std::all_of(running_.begin(), running_.end(), is_local)) break;
    over_.clear();
    std::erase_if(running_, [&](const Running& one) {
      if (one.end_ps > when) return false;
      over_.push_back(one.activity);
      return true;
    });
    local_streams_.clear();
    for (const std::uint64_t activity : over_) end(rank, window, activity, when);
    until = when;
    fill_slots(rank, window, when);
    if (!fill_streams(rank, window, when)) break;
  }
  if (until < 0) return;
  extent.until_ps = until;
  extent.first = first;
  extent.last = limit;
  for (const Running& one : running_) {
    // What ends at the moment where lookahead stopped is still to be told by the queue.
    if (one.end_ps == until) extent.at_once = one.activity;
  }
  state.has_changes = !extent.changes.empty();
  was_used_ = true;
}

/// Whether only computing and collectives of this window wait for its end, which wait for nothing else, and something
/// does.
bool Lookahead::has_local_successors(const LiveWindow& window, std::uint64_t activity, std::uint64_t limit) {
  if (activity >= limit) return false;
  const PlannedActivity& planned = window.plan(activity);
  if (planned.starts_others || planned.successor_count == 0) return false;
  const std::span<const std::uint32_t> successors =
      window.planned->plan.successors_of(static_cast<std::uint32_t>(activity - window.first));
  return std::all_of(successors.begin(), successors.end(), [&](std::uint32_t successor) {
    const PlannedActivity& next = window.planned->plan.activities[successor];
    if (window.first + successor >= limit || next.starts_others || !next.waits_locally) return false;
    return next.resource == Resource::compute ||
           (next.resource == Resource::collective && next.stream < kMostLookaheadStreams);
  });
}

void Lookahead::end(std::uint32_t rank, LiveWindow& window, std::uint64_t activity, TimePs when) {
  RankState& state = state_.ranks[rank];
  const auto in_window = static_cast<std::uint32_t>(activity - window.first);
  const PlannedActivity& planned = window.planned->plan.activities[in_window];
  sink_.ended({rank, activity, window.planned->program.get(), in_window}, when);
  window.waiting[in_window] = LiveWindow::kEnded;
  --window.left;
  ++state_.done;
  if (planned.resource == Resource::compute) {
    ++state.free_slots[kComputeSlots];
    ranks_[rank].changes.push_back({when, -1, 0});
  } else {
    state_.streams[state_.bundles.first_stream[rank] + planned.stream].is_running = false;
    local_streams_.push_back(planned.stream);
    ranks_[rank].changes.push_back({when, 0, -1});
  }
  for (const std::uint32_t successor : window.planned->plan.successors_of(in_window)) {
    if (--window.waiting[successor] != 0) continue;
    const PlannedActivity& next = window.planned->plan.activities[successor];
    if (next.resource == Resource::compute) state.ready[kComputeSlots].push(window.first + successor);
    else local_streams_.push_back(next.stream);
  }
}

void Lookahead::start(std::uint32_t rank, LiveWindow& window, std::uint64_t activity, TimePs when, TimePs end_ps) {
  const auto in_window = static_cast<std::uint32_t>(activity - window.first);
  const bool computes = window.planned->plan.activities[in_window].resource == Resource::compute;
  sink_.started({rank, activity, window.planned->program.get(), in_window}, when);
  window.waiting[in_window] = LiveWindow::kStarted;
  ranks_[rank].changes.push_back({when, computes ? 1 : 0, computes ? 0 : 1});
  running_.push_back({end_ps, activity});
}

void Lookahead::fill_slots(std::uint32_t rank, LiveWindow& window, TimePs when) {
  RankState& state = state_.ranks[rank];
  while (state.free_slots[kComputeSlots] > 0 && !state.ready[kComputeSlots].empty()) {
    const std::uint64_t activity = state.ready[kComputeSlots].pop();
    --state.free_slots[kComputeSlots];
    start(rank, window, activity, when, when + window.plan(activity).duration_ps);
  }
}

/// Of local_streams_. False if one has to be looked at when it is time.
bool Lookahead::fill_streams(std::uint32_t rank, LiveWindow& window, TimePs when) {
  bool is_done = true;
  for (const std::uint32_t stream : local_streams_) {
    StreamState& line = state_.streams[state_.bundles.first_stream[rank] + stream];
    if (line.is_running) continue;
    if (line.next == kNoActivity) line.next = state_.ranks[rank].on_stream(stream, line.started);
    const std::uint64_t activity = line.next;
    ranks_[rank].streams |= std::uint64_t{1} << stream;
    if (activity == kNoActivity) continue;
    if (window.has(activity) && window.waiting[activity - window.first] != 0) continue;
    if (const std::optional<TimePs> end_ps =
            window.has(activity) ? commit(rank, window, activity, when) : std::nullopt) {
      ++line.started;
      line.next = kNoActivity;
      line.is_running = true;
      start(rank, window, activity, when, *end_ps);
      continue;
    }
    queue_.push(when, {rank, kStreamWakes - stream});
    is_done = false;
  }
  return is_done;
}

/// When a collective ends if it starts at `start_ps`, which it then does; nothing if that cannot be told.
std::optional<TimePs> Lookahead::commit(std::uint32_t rank, const LiveWindow& window, std::uint64_t activity,
                                        TimePs start_ps) {
  if (network_ == nullptr) return std::nullopt;
  const PlannedActivity& planned = window.plan(activity);
  const std::uint32_t number = state_.bundles.number(rank, planned.stream);
  const Bundle& bundle = state_.bundles.all[number];
  const auto in_window = static_cast<std::uint32_t>(activity - window.first);
  const workload::Program& program = *window.planned->program;
  if (bundle.classes.size() != 1 || !state_.collectives[number].empty())
    return std::nullopt;  // others have to come first
  CommOp op;
  op.kind = CommOp::Kind::collective;
  op.collective = program.collectives[in_window];
  // A root or parts of their own make members differ: their prices are not those of one common flow.
  if (workload::is_rooted(op.collective) || !program.parts_of(in_window).empty()) return std::nullopt;
  const Communicator& first = membership_.communicators()[bundle.communicators[0]];
  const std::uint64_t place = window.planned->first_on_stream[planned.stream] + planned.place;
  op.bytes = workload::whole_bytes(op.collective, program.bytes[in_window], first.ranks.size());
  predicted_.clear();
  for (const std::uint32_t communicator : started_operations_.of_bundle(number)) {
    op.ranks = membership_.communicators()[communicator].ranks;
    op.flow = communicator;
    op.alike = started_operations_.alike_collectives(communicator);
    const std::optional<PredictedOp> predicted = network_->predict(op, start_ps);
    if (!predicted || predicted->end_ps >= kMaxSimulatedPs) return std::nullopt;
    // Groups that are executed as one must stay alike.
    if (!predicted_.empty() && predicted->end_ps != predicted_[0].end_ps) return std::nullopt;
    predicted_.push_back(*predicted);
  }
  // What does not agree is an Error, which is told when the collective starts in its turn.
  if (!is_checked_ && !check_agreement(membership_, state_, first, bundle, place)) return std::nullopt;
  for (const PredictedOp& predicted : predicted_) network_->commit(predicted);
  was_used_ = true;
  state_.collectives[number].go_on_from(place + 1);
  CollectiveUse use;
  use.kind = op.collective;
  use.group_name = first.name;
  use.ranks = static_cast<std::uint32_t>(first.ranks.size());
  use.bytes = op.bytes;
  use.first_arrival_ps = start_ps;
  use.last_arrival_ps = start_ps;
  use.end_ps = predicted_[0].end_ps;
  use.is_measured = predicted_[0].is_measured;
  sink_.collective_ended(number, place, use);
  return use.end_ps;
}

void Lookahead::count_changes(std::uint32_t rank) {
  RankState& state = state_.ranks[rank];
  Extent& extent = ranks_[rank];
  for (; extent.next_change < extent.changes.size(); ++extent.next_change) {
    const UseChange& change = extent.changes[extent.next_change];
    if (change.when > state_.now) return;
    state.count_until(change.when);
    state.computing += static_cast<std::uint32_t>(change.computing);
    state.communicating += static_cast<std::uint32_t>(change.communicating);
  }
  state.has_changes = false;
}

/// An activity of a rank becomes ready while what the rank does was executed ahead without it. It is in the way if it
/// wants what was given away, or if it waits for something that was executed and is yet to come.
void Lookahead::check_ready(std::uint32_t rank, const PlannedActivity& planned) {
  if (planned.resource == Resource::compute) is_wrong_ = true;
  if (planned.resource != Resource::collective) return;
  const std::uint64_t used = ranks_[rank].streams;
  is_wrong_ |= planned.waits_locally || planned.stream >= kMostLookaheadStreams || (used >> planned.stream & 1) != 0;
}

}  // namespace orrery::simulate
