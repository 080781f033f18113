// The part of Run that passes over what was executed before: see engine/repetitions.h.
#include <algorithm>
#include <cassert>
#include <span>
#include <utility>

#include "base/interrupt.h"
#include "simulate/engine/run.h"

namespace orrery::simulate {

// Asked when what ends at this moment has ended, and nothing that follows from it has begun. Mostly one look at two
// numbers.
bool Run::stands_still() const {
  if (!may_repeat_ || ended_.empty() || ended_.size() != state_.unfinished) return false;
  if (!queue_.empty() || !entered_.empty() || !state_.messages.empty() || !network_.is_at_rest()) return false;
  return std::all_of(ended_.begin(), ended_.end(), [&](const Place& place) {
    const std::vector<LiveWindow>& windows = state_.ranks[place.rank].windows;
    if (windows.size() != 2) return false;
    return windows[0].left == 1 && windows[0].has(place.activity) && !windows[1].entered &&
           windows[1].first == supply_.last_window(supply_.program_of(place.rank)).first;
  });
}

Status Run::pass_repetitions() {
  end_recording();
  contents_.resize(supply_.program_count());
  for (std::uint32_t program = 0; program < contents_.size(); ++program)
    contents_[program] = supply_.last_window(program).content;
  std::uint64_t passed = 0;
  bool is_known = std::find(contents_.begin(), contents_.end(), 0) == contents_.end();
  for (Stretch* stretch = is_known ? repetitions_.find(contents_) : nullptr; stretch != nullptr;) {
    stop_if_requested();
    if (options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed))
      return Error{.message = "cancelled"};
    // The first is of windows that ranks have been given already; from there on as many at once as hold the same.
    const std::uint64_t times = passed == 0 ? 1 : alike_ahead();
    const TimePs time_left = kMaxSimulatedPs - 1 - state_.now;
    if (stretch->length_ps > 0 && times > static_cast<std::uint64_t>(time_left / stretch->length_ps))
      return takes_too_long();
    for (std::uint32_t program = 0; passed > 0 && program < contents_.size(); ++program)
      supply_.pass(program, stretch->windows[program], times);
    state_.now += stretch->length_ps * static_cast<TimePs>(times);
    state_.done += stretch->done * times;
    passed_activities_ += stretch->done * times;
    stretch->times_passed += times;
    passed += times;
    is_known = look_ahead();
    stretch = is_known ? repetitions_.find(contents_) : nullptr;
  }
  const bool records = is_known && repetitions_.is_worth_keeping(contents_);
  if (passed == 0 && !records) return {};
  std::vector<std::uint32_t> ranks;
  for (const Place& place : ended_) ranks.push_back(place.rank);
  if (passed > 0) sink_.passed_to(state_.now);
  if (records) begin_recording();
  if (passed > 0) {
    if (Status status = open_after_passed(ranks, passed); !status) return status;
  }
  for (const std::uint32_t rank : ranks) {
    if (!records) break;
    const std::uint32_t program = supply_.program_of(rank);
    if (recording_->windows[program].activities > 0) continue;
    recording_->windows[program] = WindowExtent::of(*state_.ranks[rank].windows.back().planned);
    recording_->first[program] = supply_.last_window(program).first;
  }
  return {};
}

/// The contents of the windows after those that were made or passed last. False if of one of them nothing is known.
bool Run::look_ahead() {
  for (std::uint32_t program = 0; program < contents_.size(); ++program) {
    if (contents_[program] == WindowSupply::kNoWindow) continue;
    contents_[program] = supply_.next_content(program);
    if (contents_[program] == 0) return false;
  }
  return true;
}

/// How many windows from the next on, of every program, hold the same.
std::uint64_t Run::alike_ahead() const {
  std::uint64_t count = ~std::uint64_t{0};
  for (std::uint32_t program = 0; program < contents_.size(); ++program) {
    if (contents_[program] != WindowSupply::kNoWindow) count = std::min(count, supply_.next_alike(program));
  }
  return count;
}

/// Ranks go on with the windows after those that were passed, as at the beginning of the run: everything before has
/// ended.
Status Run::open_after_passed(std::span<const std::uint32_t> ranks, std::uint64_t passed) {
  supply_.pass_classes(passed - 1);
  ended_.clear();
  for (const std::uint32_t rank : ranks) {
    RankState& state = state_.ranks[rank];
    for (const LiveWindow& window : state.windows) state_.counters.give_back({window.waiting, window.slab});
    state.windows.clear();
    state.use.finish_ps = state_.now;
    const std::vector<std::uint64_t>& on_stream = supply_.on_stream(supply_.program_of(rank));
    for (std::uint32_t stream = 0; stream < on_stream.size(); ++stream) {
      StreamState& line = state_.streams[state_.bundles.first_stream[rank] + stream];
      line.started = on_stream[stream];
      line.next = kNoActivity;
      OpenCollectives& collectives = state_.collectives[state_.bundles.number(rank, stream)];
      assert(collectives.empty());
      collectives.go_on_from(on_stream[stream]);
    }
  }
  for (const std::uint32_t rank : ranks) {
    if (Status status = open_window(rank); !status) return status;
  }
  return {};
}

void Run::begin_recording() {
  recording_.emplace();
  recording_->contents = contents_;
  recording_->windows.resize(contents_.size());
  recording_->first.resize(contents_.size());
  recording_->begin_ps = state_.now;
  recording_->done = state_.done;
  for (const RankState& state : state_.ranks) recording_->ranks.push_back(state.use);
  network_.count_links(recording_->links);
  sink_.begin_part(state_.now);
}

/// The job stands still again. Where that is not one window later for every rank, what happened is not kept.
void Run::end_recording() {
  if (!recording_) return;
  const bool one_window = std::all_of(ended_.begin(), ended_.end(), [&](const Place& place) {
    return state_.ranks[place.rank].windows[0].first == recording_->first[supply_.program_of(place.rank)];
  });
  Stretch stretch;
  stretch.part = sink_.end_part(one_window);
  if (one_window) {
    stretch.length_ps = state_.now - recording_->begin_ps;
    stretch.done = state_.done - recording_->done;
    stretch.windows = std::move(recording_->windows);
    for (std::size_t rank = 0; rank < state_.ranks.size(); ++rank) {
      const RankUse &before = recording_->ranks[rank], &after = state_.ranks[rank].use;
      stretch.ranks.push_back({0, after.compute_ps - before.compute_ps,
                               after.communication_ps - before.communication_ps, after.exposed_ps - before.exposed_ps});
    }
    std::vector<LinkCount> links;
    network_.count_links(links);
    for (machine::LinkId link = 0; link < links.size(); ++link) {
      const LinkCount& before = recording_->links[link];
      const LinkCount difference{links[link].bytes.minus(before.bytes), links[link].busy_ps - before.busy_ps};
      if (difference != LinkCount{}) stretch.links.push_back({link, difference});
    }
    repetitions_.keep(recording_->contents, std::move(stretch));
  }
  recording_.reset();
}

/// What the stretches that were passed over add to what was counted.
void Run::count_repetitions() {
  if (recording_) sink_.end_part(false);
  for (const Stretch& stretch : repetitions_.all()) {
    if (stretch.times_passed == 0) continue;
    const auto times = static_cast<TimePs>(stretch.times_passed);
    for (std::size_t rank = 0; rank < stretch.ranks.size(); ++rank) {
      state_.ranks[rank].use.compute_ps += stretch.ranks[rank].compute_ps * times;
      state_.ranks[rank].use.communication_ps += stretch.ranks[rank].communication_ps * times;
      state_.ranks[rank].use.exposed_ps += stretch.ranks[rank].exposed_ps * times;
    }
    for (const Stretch::LinkDifference& difference : stretch.links)
      network_.add_count(difference.link, difference.count, stretch.times_passed);
    sink_.part_came_again(stretch.part, stretch.times_passed);
  }
}

}  // namespace orrery::simulate
