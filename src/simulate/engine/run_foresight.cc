// The part of Run that executes ahead of time what a rank does by itself.
//
// Between two messages a rank of a training step computes and reduces among ranks that do the same, dozens of
// activities that wait for one another and for nothing else. Where the network can tell when the collectives end, all
// of it is known when the first begins: it is executed then, moment by moment as the engine would, up to the first end
// that others may wait for. What runs then goes into the queue.
//
// That is right as long as nothing comes in between: no flow of others on the links (NetworkModel::foresaw_wrongly),
// nothing else that wants to compute on the rank or to use the communicator (comes_unforeseen). It is looked at where
// such things happen; if one does, the run begins anew without foresight (engine.cc). The network trusts only links to
// which nobody else came for long, so that this is rare.
#include <algorithm>
#include <utility>

#include "simulate/engine/run.h"
#include "workload/collective_parts.h"

namespace orrery::simulate {
namespace {

constexpr std::size_t kComputeSlots = static_cast<std::size_t>(Resource::compute);
constexpr std::uint32_t kMostMomentsAhead = 4096;  // so that a run can be stopped, and tells of its progress

}  // namespace

/// When all that begins at this moment has begun.
void Run::run_ahead() {
  if (begun_.size() > 1)
    std::sort(begun_.begin(), begun_.end(), [](const Begun& a, const Begun& b) { return a.rank < b.rank; });
  for (auto begin = begun_.begin(); begin != begun_.end();) {
    const auto end = std::find_if(begin, begun_.end(), [&](const Begun& other) { return other.rank != begin->rank; });
    run_ahead(std::span(begin, end));
    begin = end;
  }
  begun_.clear();
}

/// Of one rank.
void Run::run_ahead(std::span<const Begun> begun) {
  const std::uint32_t rank = begun[0].rank;
  const RankState& state = state_.ranks[rank];
  running_.clear();
  std::uint32_t computing = 0;
  for (const Begun& one : begun) {
    overflow_ = overflow_ || one.end_ps >= kMaxSimulatedPs;
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
      state_.foresights[rank].until_ps <= state_.now;  // else what is known of the rank is of a later moment
  if (is_all && is_at_present && state.ready[kComputeSlots].empty() && !overflow_) execute_foreseen(rank);
  for (const Running& one : running_) queue_.push({one.end_ps, rank, one.activity});
}

/// Executes what follows from running_, which is all that runs, as long as it concerns the rank alone.
void Run::execute_foreseen(std::uint32_t rank) {
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
  Foresight& foresight = state_.foresights[rank];
  TimePs until = -1;
  foresight.streams = 0;
  foresight.changes.clear();
  foresight.next_change = 0;
  foresight.at_once = kNoActivity;
  for (std::uint32_t moments = 0; moments < kMostMomentsAhead && !running_.empty(); ++moments) {
    TimePs when = kNever;
    for (const Running& one : running_) when = std::min(when, one.end_ps);
    const auto is_local = [&](const Running& one) {
      return one.end_ps > when || has_local_successors(window, one.activity, limit);
    };
    if (when >= kMaxSimulatedPs || !std::all_of(running_.begin(), running_.end(), is_local)) break;
    over_.clear();
    std::erase_if(running_, [&](const Running& one) {
      if (one.end_ps > when) return false;
      over_.push_back(one.activity);
      return true;
    });
    local_streams_.clear();
    for (const std::uint64_t activity : over_) end_foreseen(rank, window, activity, when);
    until = when;
    fill_slots_foreseen(rank, window, when);
    if (!fill_streams_foreseen(rank, window, when)) break;
  }
  if (until < 0) return;
  foresight.until_ps = until;
  foresight.first = first;
  foresight.last = limit;
  for (const Running& one : running_) {
    if (one.end_ps == until) foresight.at_once = one.activity;
  }
  state.has_changes = !foresight.changes.empty();
  used_foresight_ = true;
}

/// Whether only computing and collectives of this window wait for its end, which wait for nothing else, and something
/// does.
bool Run::has_local_successors(const LiveWindow& window, std::uint64_t activity, std::uint64_t limit) const {
  if (activity >= limit) return false;
  const PlannedActivity& planned = window.plan(activity);
  if (planned.starts_others || planned.successor_count == 0) return false;
  const std::span<const std::uint32_t> successors =
      window.planned->plan.successors_of(static_cast<std::uint32_t>(activity - window.first));
  return std::all_of(successors.begin(), successors.end(), [&](std::uint32_t successor) {
    const PlannedActivity& next = window.planned->plan.activities[successor];
    if (window.first + successor >= limit || next.starts_others || !next.waits_locally) return false;
    return next.resource == Resource::compute ||
           (next.resource == Resource::collective && next.stream < kMostForeseenStreams);
  });
}

void Run::end_foreseen(std::uint32_t rank, LiveWindow& window, std::uint64_t activity, TimePs when) {
  RankState& state = state_.ranks[rank];
  const auto in_window = static_cast<std::uint32_t>(activity - window.first);
  const PlannedActivity& planned = window.planned->plan.activities[in_window];
  sink_.ended({rank, activity, window.planned->program.get(), in_window}, when);
  window.waiting[in_window] = LiveWindow::kEnded;
  --window.left;
  ++state_.done;
  if (planned.resource == Resource::compute) {
    ++state.free_slots[kComputeSlots];
    state_.foresights[rank].changes.push_back({when, -1, 0});
  } else {
    state_.streams[state_.bundles.first_stream[rank] + planned.stream].is_running = false;
    local_streams_.push_back(planned.stream);
    state_.foresights[rank].changes.push_back({when, 0, -1});
  }
  for (const std::uint32_t successor : window.planned->plan.successors_of(in_window)) {
    if (--window.waiting[successor] != 0) continue;
    const PlannedActivity& next = window.planned->plan.activities[successor];
    if (next.resource == Resource::compute) state.ready[kComputeSlots].push(window.first + successor);
    else local_streams_.push_back(next.stream);
  }
}

void Run::start_foreseen(std::uint32_t rank, LiveWindow& window, std::uint64_t activity, TimePs when, TimePs end) {
  const auto in_window = static_cast<std::uint32_t>(activity - window.first);
  const bool computes = window.planned->plan.activities[in_window].resource == Resource::compute;
  sink_.started({rank, activity, window.planned->program.get(), in_window}, when);
  window.waiting[in_window] = LiveWindow::kStarted;
  state_.foresights[rank].changes.push_back({when, computes ? 1 : 0, computes ? 0 : 1});
  running_.push_back({end, activity});
}

void Run::fill_slots_foreseen(std::uint32_t rank, LiveWindow& window, TimePs when) {
  RankState& state = state_.ranks[rank];
  while (state.free_slots[kComputeSlots] > 0 && !state.ready[kComputeSlots].empty()) {
    const std::uint64_t activity = state.ready[kComputeSlots].pop();
    --state.free_slots[kComputeSlots];
    start_foreseen(rank, window, activity, when, when + window.plan(activity).duration_ps);
  }
}

/// Of local_streams_. False if one has to be looked at when it is time.
bool Run::fill_streams_foreseen(std::uint32_t rank, LiveWindow& window, TimePs when) {
  bool is_done = true;
  for (const std::uint32_t stream : local_streams_) {
    StreamState& line = state_.streams[state_.bundles.first_stream[rank] + stream];
    if (line.is_running) continue;
    if (line.next == kNoActivity) line.next = state_.ranks[rank].on_stream(stream, line.started);
    const std::uint64_t activity = line.next;
    state_.foresights[rank].streams |= std::uint64_t{1} << stream;
    if (activity == kNoActivity) continue;
    if (window.has(activity) && window.waiting[activity - window.first] != 0) continue;
    if (const std::optional<TimePs> end =
            window.has(activity) ? take_foreseen(rank, window, activity, when) : std::nullopt) {
      ++line.started;
      line.next = kNoActivity;
      line.is_running = true;
      start_foreseen(rank, window, activity, when, *end);
      continue;
    }
    queue_.push({when, rank, kStreamWakes - stream});
    is_done = false;
  }
  return is_done;
}

/// When a collective ends if it starts at `start`; nothing if that cannot be told, and else it is settled.
std::optional<TimePs> Run::take_foreseen(std::uint32_t rank, const LiveWindow& window, std::uint64_t activity,
                                         TimePs start) {
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
  if (workload::is_rooted(op.collective) || !program.parts_of(in_window).empty()) return std::nullopt;
  const Communicator& first = membership_.communicators()[bundle.communicators[0]];
  const std::uint64_t place = window.planned->first_on_stream[planned.stream] + planned.place;
  op.bytes = workload::whole_bytes(op.collective, program.bytes[in_window], first.ranks.size());
  foreseen_.clear();
  for (const std::uint32_t communicator : bundle.communicators) {
    op.ranks = membership_.communicators()[communicator].ranks;
    op.flow = communicator;
    const std::optional<ForeseenOp> foreseen = network_.foresee(op, start);
    if (!foreseen || foreseen->end_ps >= kMaxSimulatedPs) return std::nullopt;
    if (!foreseen_.empty() && foreseen->end_ps != foreseen_[0].end_ps) return std::nullopt;
    foreseen_.push_back(*foreseen);
  }
  if (!is_checked_ && !check_agreement(first, bundle, place)) return std::nullopt;  // which says so when it starts
  for (const ForeseenOp& foreseen : foreseen_) network_.take_foreseen(foreseen);
  used_foresight_ = true;
  state_.collectives[number].go_on_from(place + 1);
  CollectiveUse use;
  use.kind = op.collective;
  use.group_name = first.name;
  use.ranks = static_cast<std::uint32_t>(first.ranks.size());
  use.bytes = op.bytes;
  use.first_arrival_ps = start;
  use.last_arrival_ps = start;
  use.end_ps = foreseen_[0].end_ps;
  sink_.collective_ended(number, place, use);
  return use.end_ps;
}

/// What was foreseen and has come to be.
void Run::count_changes(std::uint32_t rank) {
  RankState& state = state_.ranks[rank];
  Foresight& foresight = state_.foresights[rank];
  for (; foresight.next_change < foresight.changes.size(); ++foresight.next_change) {
    const UseChange& change = foresight.changes[foresight.next_change];
    if (change.when > state_.now) return;
    state.count_until(change.when);
    state.computing += static_cast<std::uint32_t>(change.computing);
    state.communicating += static_cast<std::uint32_t>(change.communicating);
  }
  state.has_changes = false;
}

/// An activity of a rank becomes ready while what the rank does was foreseen without it. It is in the way if it wants
/// what was given away, or if it waits for something that was executed and is yet to come.
void Run::comes_unforeseen(std::uint32_t rank, const PlannedActivity& planned) {
  if (planned.resource == Resource::compute) foresaw_wrongly_ = true;
  if (planned.resource != Resource::collective) return;
  const std::uint64_t used = state_.foresights[rank].streams;
  foresaw_wrongly_ |=
      planned.waits_locally || planned.stream >= kMostForeseenStreams || (used >> planned.stream & 1) != 0;
}

}  // namespace orrery::simulate
