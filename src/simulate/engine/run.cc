#include "simulate/engine/run.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/interrupt.h"
#include "base/random.h"

// One moment after the other: the next time is the earlier one of the network's and the queue's. What ends then is
// collected, then all that follows from it at the same moment is settled in a fixed order: windows are opened,
// successors released, slots and streams filled, operations begun. Operations are sorted by number before they start,
// so that rates do not depend on the order in which ends were told.

namespace orrery::simulate {
namespace {

constexpr std::uint64_t kReportEvery = 65'536;
// In the queue, instead of an activity that ends: the rank begins.
constexpr std::uint64_t kRankBegins = kNoActivity;
// A model that says "something happens now" this often in a row without anything happening would keep the engine for
// ever.
constexpr std::uint32_t kMostIdleAdvances = 1u << 20;

// Exchanges are carried out by kernels that keep units for themselves. What reductions and gathers cost is part of what
// computing takes: its constants were fitted on steps that hide them.
bool slows_computing(const LiveWindow& window, std::uint64_t activity) {
  return window.plan(activity).resource == Resource::collective &&
         window.planned->program->collectives[activity - window.first] == workload::Collective::all_to_all;
}

// In a replay every operation takes what it was recorded to; a wildcard takes whoever comes first; and where every rank
// is executed, operations come one by one.
NetworkFolding* folding_of(NetworkModel& network, const workload::Membership& membership, const EngineOptions& options,
                           const RankClasses& classes) {
  const bool can_be_alike = !options.replay && !membership.has_wildcards() && !classes.is_trivial();
  const bool is_worth_it =
      options.ranks_worth_folding > 0 && classes.class_of.size() >= options.ranks_worth_folding * classes.size();
  return can_be_alike && is_worth_it ? network.folding() : nullptr;
}

// Of the executed ranks; 0 if somebody does not say.
std::uint64_t count_activities(const workload::Membership& membership, const RankClasses& classes) {
  std::uint64_t total = 0;
  for (std::uint32_t c = 0; c < classes.size(); ++c) {
    const auto& length = membership.structure(classes.first(c)).length;
    if (!length) return 0;
    total += length->activities;
  }
  return total;
}

// Of executed activities, of which there are some million in a second: after how many, and how many of each executed
// rank, it is known what a job is like, and how many nobody waits for.
constexpr std::uint64_t kKnownAfter = std::uint64_t{1} << 20, kKnownAfterOfEach = 64, kMostLeft = 100'000'000'000;

}  // namespace

Run::Run(workload::WorkloadSource& source, const workload::Membership& membership, NetworkModel& network,
         const EngineOptions& options, RankClasses classes, ScheduleSink& sink)
    : membership_(membership),
      job_(membership.job()),
      network_(network),
      options_(options),
      sink_(sink),
      is_checked_(source.checked() != nullptr),
      state_(membership, std::move(classes)),
      folding_(folding_of(network, membership, options, state_.classes)),
      started_operations_(membership, state_, folding_),
      supply_(source, membership, state_.classes, options),
      numbers_(membership),
      matcher_(membership.has_wildcards() ? job_.rank_count() : 0),
      next_report_(kReportEvery),
      total_(count_activities(membership, state_.classes)) {
  for (std::uint32_t rank = 0; membership.has_wildcards() && rank < job_.rank_count(); ++rank) {
    if (membership.takes_as_posted(rank)) matcher_.expect_wildcards(rank);
  }
}

Status Run::execute() {
  if (Status status = sink_.begin(layout()); !status) return status;
  if (folding_ != nullptr) folding_->fold();
  if (sink_.wants_causes()) causes_.emplace(membership_, state_, options_);
  // A replay starts what is ready whatever else runs, and a wildcard takes whoever comes first: neither can be known
  // ahead, nor from the windows to come alone.
  if (options_.slowdown_beside_exchanges > 1 && !options_.replay)
    slowed_.emplace(options_.slowdown_beside_exchanges, state_.classes.size(), queue_);
  // Ends that may move are not known ahead, and leave events in the queue that no longer mean anything.
  const bool is_known_ahead = !options_.replay && !membership_.has_wildcards() && !causes_ && !slowed_;
  NetworkSteadyState* const steady_network = network_.steady_state();
  if (options_.use_steady_state && is_known_ahead && sink_.takes_steady_state() && steady_network != nullptr)
    steady_state_.emplace(*steady_network, options_, state_, supply_, sink_);
  if (options_.use_lookahead && is_known_ahead && sink_.takes_any_order())
    lookahead_.emplace(membership_, network_.lookahead(), started_operations_, is_checked_, state_, queue_, sink_);
  if (Status status = begin(); !status) return status;
  while (state_.unfinished > 0) {
    stop_if_requested();
    if (options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed))
      return Error{.message = "cancelled"};
    const TimePs network_ps = network_.next_event(), time = std::min(network_ps, queue_.next_time());
    if (time == kNever) return explain_deadlock(membership_, state_, total_);
    if (Status status = advance_to(time, network_ps <= time); !status) return status;
  }
  if (steady_state_) steady_state_->finish();
  return membership_.has_wildcards() ? check_received() : Status();
}

Status Run::begin() {
  for (std::uint32_t rank = 0; rank < state_.classes.size(); ++rank) {
    const TimePs at = options_.begins.empty() ? 0 : options_.begins[first_of(rank)];
    if (at > 0) {
      queue_.push(at, {rank, kRankBegins});
      continue;
    }
    if (Status status = open_window(rank); !status) return status;
  }
  started_operations_.announce();
  // While nothing has started, there is nothing to be repeated.
  while (folded_unlike() && folding_->refine_classes()) {
    network_.restart();
    folding_->fold();
    started_operations_.announce();
  }
  if (Status status = check_folded(); !status) return status;
  return settle();
}

// Everything that follows from what has ended, at this moment.
Status Run::settle() {
  do {
    if (Status status = open_entered(); !status) return status;
    dispatch();
    if (problem_) return *problem_;
    if (Status status = start_operations(); !status) return status;
  } while (!ended_.empty() || !started_.empty() || !entered_.empty());
  if (!lookahead_) return {};
  lookahead_->run_ahead();
  if (lookahead_->failed()) return Error{.message = "something came in between what was executed ahead"};
  return check_folded();
}

Status Run::check_folded() const {
  if (!folded_unlike()) return {};
  return Error{.message = "operations that were started as one are not alike"};
}

Status Run::pass_steady_state() {
  const Result<bool> passed = steady_state_->pass(ended_);
  if (!passed) return passed.error();
  if (!*passed) {
    steady_state_->note_windows(ended_);
    return {};
  }
  const std::vector<RankActivity> resumed = std::exchange(ended_, {});  // their successors were passed over
  for (const RankActivity& last : resumed) {
    if (Status status = open_window(last.rank); !status) return status;
  }
  steady_state_->note_windows(resumed);
  return {};
}

Status Run::advance_to(TimePs time, bool network_is_due) {
  if (time < state_.now) return Error{.message = "the network model went back in time"};
  if (time >= kMaxSimulatedPs || state_.overflow) return takes_too_long();
  if (time > state_.now) idle_advances_ = 0;
  state_.now = time;
  if (network_is_due) {
    if (Status status = take_finished_operations(); !status) return status;
    // A network has moments of its own, when bytes begin to flow: where nothing ends, nothing follows.
    if (finished_.empty() && queue_.next_time() != time) return {};
  }
  if (Status status = take_ended_activities(); !status) return status;
  report_progress();
  if (steady_state_ && queue_.empty() && entered_.empty() && steady_state_->is_quiescent(ended_)) {
    if (Status status = pass_steady_state(); !status) return status;
  }
  return settle();
}

Status Run::take_ended_activities() {
  if (queue_.next_time() != state_.now) return {};
  due_.clear();
  queue_.take(due_);
  for (const RankActivity& event : due_) {
    // The largest numbers are no activities but say what else is due; see kRankBegins and kStreamWakes.
    if (event.activity < kStreamWakes - kMostLookaheadStreams) {
      if (slowed_ && has_moved(event)) continue;
      finish(event.rank, event.activity);
      continue;
    }
    if (event.activity != kRankBegins) {
      touch_stream(event.rank, static_cast<std::uint32_t>(kStreamWakes - event.activity));
      continue;
    }
    if (Status status = open_window(event.rank); !status) return status;
  }
  return {};
}

Status Run::take_finished_operations() {
  finished_.clear();
  network_.advance(state_.now, finished_);
  network_time_ = state_.now;
  if (!finished_.empty()) idle_advances_ = 0;
  else if (++idle_advances_ > kMostIdleAdvances) return Error{.message = "the network model does not move on"};
  channels_.clear();
  for (const OpId id : finished_) {
    if (numbers_.is_collective(id)) collective_ended(id);
    channels_.push_back(numbers_.is_collective(id) ? 0 : message_ended(id));
  }
  // Some operations of a class have ended at this moment and some have not: its ranks are not alike.
  if (incomplete_ == 0) return {};
  what_ended_.assign(job_.rank_count(), 0);
  for (std::size_t i = 0; i < finished_.size(); ++i) {
    const OpId id = finished_[i];
    const auto [line, place] = numbers_.find(id);
    const bool is_collective = numbers_.is_collective(id);
    // What ended is the same of all ranks of a class, whoever sent or met there; in no order, as a sum.
    std::uint64_t what = place * (membership_.communicators().size() + 1) +
                         (is_collective ? state_.bundles.of_communicator[line] + std::uint64_t{1} : 0);
    const std::uint64_t mixed = next_random(what);
    if (!is_collective) {
      what_ended_[line] += mixed;
      for (const AlikeOp& other : started_operations_.alike_messages(line, channels_[i]))
        what_ended_[other.ranks[0]] += mixed;
      continue;
    }
    for (const std::uint32_t rank : membership_.communicators()[line].ranks) what_ended_[rank] += mixed;
    for (const AlikeOp& other : started_operations_.alike_collectives(line)) {
      for (const std::uint32_t rank : other.ranks) what_ended_[rank] += mixed;
    }
  }
  return Error{.message = "ranks that do the same do not take the same time"};
}

std::vector<std::uint32_t> Run::ranks_told_apart() const {
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> numbers;
  std::vector<std::uint32_t> told_apart;
  for (std::uint32_t rank = 0; rank < job_.rank_count(); ++rank) {
    const std::pair key(state_.classes.class_of[rank], what_ended_[rank]);
    told_apart.push_back(numbers.try_emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return told_apart;
}

Status Run::start_operations() {
  if (starting_.empty()) return {};
  if (network_time_ < state_.now) {  // so that the model shares bandwidth up to now without the newcomers
    if (Status status = take_finished_operations(); !status) return status;
  }
  // Operations of one moment start by number: rates are summed in that order, and sums of floats depend on it.
  std::sort(starting_.begin(), starting_.end());
  starting_message_ = nullptr;
  for (const OpId id : starting_) {
    if (Status status = numbers_.is_collective(id) ? start_collective(id) : start_message(id); !status) return status;
  }
  starting_.clear();
  return check_folded();
}

// --- activities ---

void Run::make_ready(std::uint32_t rank, LiveWindow& window, std::uint64_t activity) {
  const PlannedActivity& planned = window.plan(activity);
  switch (planned.resource) {
    case Resource::compute:
    case Resource::host:
    case Resource::memory:
      state_.ranks[rank].ready[static_cast<std::size_t>(planned.resource)].push(activity);
      touch_rank(rank);
      return;
    case Resource::collective:
      // A replay has no streams: what was recorded side by side runs side by side.
      if (!options_.replay) return touch_stream(rank, planned.stream);
      start(rank, window, activity, Resource::collective);
      return arrive(rank, window, activity);
    case Resource::send:
    case Resource::recv: start_message_side(rank, window, activity, planned.resource == Resource::send); return;
    case Resource::timed: note_start(rank, window, activity); return schedule_end(rank, activity, planned.duration_ps);
    case Resource::nothing:
      note_start(rank, window, activity);
      finish(rank, activity);
      return;
  }
}

void Run::note_start(std::uint32_t rank, LiveWindow& window, std::uint64_t activity) {
  const auto place = static_cast<std::uint32_t>(activity - window.first);
  window.waiting[place] = LiveWindow::kStarted;
  if (!std::exchange(window.entered, true)) entered_.push_back(rank);
  const ExecutedActivity started{rank, activity, window.planned->program.get(), place};
  sink_.started(started, state_.now);
  if (causes_) sink_.start_explained(started, causes_->started(rank, activity, window.plan(activity)), state_.now);
  const RankState& state = state_.ranks[rank];
  if (window.plan(activity).starts_others || (state.windows.size() > 1 && starts_carried(state, window, activity)))
    started_.push_back({rank, activity});
}

void Run::start(std::uint32_t rank, LiveWindow& window, std::uint64_t activity, Resource resource) {
  note_start(rank, window, activity);
  // What ranks did with their time is told of devices and their communication alone.
  if (resource == Resource::host || resource == Resource::memory) return;
  RankState& state = state_.ranks[rank];
  count_use(rank);
  if (resource == Resource::compute) ++state.computing;
  else ++state.communicating;
  if (slowed_ && slows_computing(window, activity)) exchanges_change(rank, 1);
}

void Run::finish(std::uint32_t rank, std::uint64_t activity) {
  RankState& state = state_.ranks[rank];
  const LiveWindow& window = state.window(activity);
  const PlannedActivity& planned = window.plan(activity);
  const Resource resource = planned.resource;
  sink_.ended({rank, activity, window.planned->program.get(), static_cast<std::uint32_t>(activity - window.first)},
              state_.now);
  if (causes_) causes_->ended(rank, window, activity);
  state.use.finish_ps = state_.now;
  ++state_.done;
  ended_.push_back({rank, activity});
  if (has_slots(resource)) {
    ++state.free_slots[static_cast<std::size_t>(resource)];
    touch_rank(rank);
  }
  if (resource == Resource::compute || is_communication(resource)) {
    count_use(rank);
    --(resource == Resource::compute ? state.computing : state.communicating);
  }
  if (slowed_ && slows_computing(window, activity)) exchanges_change(rank, -1);
  if (resource == Resource::collective && !options_.replay) {
    state_.streams[state_.bundles.first_stream[rank] + planned.stream].is_running = false;
    touch_stream(rank, planned.stream);
  } else if (resource == Resource::send) {
    send_ended(rank, window, activity);
  }
}

// A list instead of recursion: chains of activities that take no time may be long. Starts come first: an activity that
// has ended too may be the last of its window.
void Run::release_successors() {
  while (!ended_.empty() || !started_.empty()) {
    const bool has_ended = started_.empty();
    std::vector<RankActivity>& list = has_ended ? ended_ : started_;
    const RankActivity place = list.back();
    list.pop_back();
    RankState& state = state_.ranks[place.rank];
    LiveWindow& window = state.window(place.activity);
    const ProgramPlan& program = window.planned->plan;
    const auto in_window = static_cast<std::uint32_t>(place.activity - window.first);
    if (has_ended) {
      window.waiting[in_window] = LiveWindow::kEnded;
      for (const std::uint32_t successor : program.successors_of(in_window))
        release(place.rank, window, window.first + successor, place.activity, false);
    } else {
      for (const StartEdge& edge : program.started_by(in_window))
        release(place.rank, window, window.first + edge.target, place.activity, true);
    }
    if (state.windows.size() > 1) release_carried(place, window.first, has_ended);
    if (has_ended && --window.left == 0) retire(place.rank, window);
  }
}

// What waits for the end of an activity, or for its start, in later windows.
void Run::release_carried(RankActivity place, std::uint64_t first_of_window, bool has_ended) {
  for (LiveWindow& later : state_.ranks[place.rank].windows) {
    if (later.first <= first_of_window) continue;
    for (const workload::CarriedDependency& edge : later.planned->carried_from(place.activity)) {
      if ((edge.type == workload::Dependency::start) != has_ended)
        release(place.rank, later, later.first + edge.target, place.activity, !has_ended);
    }
  }
}

void Run::release(std::uint32_t rank, LiveWindow& window, std::uint64_t activity, std::uint64_t source, bool on_start) {
  if (causes_) causes_->released(rank, activity, source, on_start);
  if (--window.waiting[activity - window.first] != 0) return;
  if (lookahead_) lookahead_->note_ready(rank, window.plan(activity), source);
  make_ready(rank, window, activity);
}

void Run::schedule_end(std::uint32_t rank, std::uint64_t activity, TimePs duration) {
  const TimePs end = state_.now + duration;  // both at most kMaxSimulatedPs
  state_.overflow = state_.overflow || end >= kMaxSimulatedPs;
  queue_.push(end, {rank, activity});
}

void Run::count_use(std::uint32_t rank) {
  RankState& state = state_.ranks[rank];
  if (state.has_changes) lookahead_->count_changes(rank);
  state.count_until(state_.now);
}

void Run::exchanges_change(std::uint32_t rank, int change) {
  if (!slowed_->exchanges_change(rank, change, state_.now)) state_.overflow = true;
}

/// Whether this is not the end of computing any more.
bool Run::has_moved(RankActivity ended) {
  const LiveWindow* const window = state_.ranks[ended.rank].find(ended.activity);
  if (window == nullptr) return true;  // it ended earlier, with all of its window
  return window->plan(ended.activity).resource == Resource::compute && !slowed_->ends(ended, state_.now);
}

// --- slots and streams ---

void Run::touch_rank(std::uint32_t rank) {
  if (std::exchange(state_.ranks[rank].touched, true)) return;
  touched_ranks_.push_back(rank);
}

void Run::touch_stream(std::uint32_t rank, std::uint32_t stream) {
  if (std::exchange(state_.streams[state_.bundles.first_stream[rank] + stream].touched, true)) return;
  touched_streams_.push_back({rank, stream});
}

void Run::dispatch() {
  match_posted();
  for (const std::uint32_t rank : touched_ranks_) fill_slots(rank);
  touched_ranks_.clear();
  for (const StreamPlace place : touched_streams_) fill_stream(place.rank, place.stream);
  touched_streams_.clear();
}

void Run::fill_slots(std::uint32_t rank) {
  RankState& state = state_.ranks[rank];
  state.touched = false;
  for (std::size_t kind = 0; kind < kSlotKinds; ++kind) {
    while (state.free_slots[kind] > 0 && !state.ready[kind].empty()) {
      const std::uint64_t activity = state.ready[kind].pop();
      LiveWindow& window = state.window(activity);
      --state.free_slots[kind];
      start(rank, window, activity, static_cast<Resource>(kind));
      const TimePs duration = window.plan(activity).duration_ps;
      if (lookahead_ && kind == static_cast<std::size_t>(Resource::compute))
        lookahead_->begin_computing(rank, activity, state_.now + duration);
      else if (slowed_ && kind == static_cast<std::size_t>(Resource::compute))
        state_.overflow |= !slowed_->begin({rank, activity}, duration, state_.now);
      else schedule_end(rank, activity, duration);
    }
  }
}

void Run::fill_stream(std::uint32_t rank, std::uint32_t stream) {
  StreamState& line = state_.streams[state_.bundles.first_stream[rank] + stream];
  line.touched = false;
  RankState& state = state_.ranks[rank];
  if (line.is_running) return;
  if (line.next == kNoActivity) line.next = state.on_stream(stream, line.started);
  const std::uint64_t activity = line.next;
  if (activity == kNoActivity) return;
  LiveWindow& window = state.window(activity);
  if (window.waiting[activity - window.first] != 0) return;
  ++line.started;
  line.next = kNoActivity;
  line.is_running = true;
  start(rank, window, activity, Resource::collective);
  if (lookahead_ && lookahead_->begin_collective(rank, window, activity)) return;
  arrive(rank, window, activity);
}

bool Run::has_no_end() const {
  const std::uint64_t known_after = std::max(kKnownAfter, kKnownAfterOfEach * state_.classes.size());
  const std::uint64_t executed = state_.done - (steady_state_ ? steady_state_->passed_activities() : 0);
  return total_ > kMostLeft && executed >= known_after && total_ - state_.done > kMostLeft;
}

void Run::report_progress() {
  if (state_.done < next_report_ || !options_.on_progress) return;
  next_report_ = state_.done + kReportEvery;
  options_.on_progress(state_.done, total_);
}

}  // namespace orrery::simulate
