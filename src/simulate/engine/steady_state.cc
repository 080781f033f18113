#include "simulate/engine/steady_state.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/interrupt.h"

// Whenever the job is quiescent, the contents of its next windows are the key of what will happen. A stretch that came
// twice is recorded: differences of times, uses and links. From then on a known stretch is passed over, many at once if
// the source says how many windows are alike, and what it did is added so many times at the end.

namespace orrery::simulate {

std::size_t Stretches::Hash::operator()(const Contents& contents) const {
  std::uint64_t hash = contents.size();
  for (const std::uint64_t content : contents) {
    hash = (hash ^ content) * 0x9e3779b97f4a7c15u;  // 2^64 over the golden ratio spreads neighbours apart (Knuth)
    hash ^= hash >> 29;
  }
  return hash;
}

Stretch* Stretches::find(const Contents& contents) {
  const auto found = kept_.find(contents);
  return found == kept_.end() ? nullptr : found->second;
}

bool Stretches::is_worth_keeping(const Contents& contents) {
  return bytes_ < kMostBytes && !came_before_.insert(Hash()(contents)).second;
}

void Stretches::keep(const Contents& contents, Stretch stretch) {
  // The sums of a sink by phase are of the order of those of ranks, a few times over.
  constexpr std::size_t kPhases = 4;
  bytes_ += stretch.ranks.size() * sizeof(RankUse) * (1 + kPhases) +
            stretch.links.size() * sizeof(Stretch::LinkDifference) +
            contents.size() * (sizeof(std::uint64_t) + sizeof(WindowExtent));
  stretches_.push_back(std::move(stretch));
  kept_.emplace(contents, &stretches_.back());
}

SteadyState::SteadyState(NetworkSteadyState& network, const EngineOptions& options, RunState& state,
                         WindowSupply& supply, ScheduleSink& sink)
    : network_(network), options_(options), state_(state), supply_(supply), sink_(sink) {}

bool SteadyState::is_quiescent(std::span<const RankActivity> ended) const {
  // Every rank that has not finished must be at the last activity of its window at this very moment.
  if (ended.empty() || ended.size() != state_.unfinished) return false;
  if (!state_.messages.empty() || !network_.is_quiescent()) return false;
  return std::all_of(ended.begin(), ended.end(), [&](const RankActivity& last) {
    const std::vector<LiveWindow>& windows = state_.ranks[last.rank].windows;
    if (windows.size() != 2) return false;
    return windows[0].left == 1 && windows[0].has(last.activity) && !windows[1].entered &&
           windows[1].first == supply_.last_window(supply_.program_of(last.rank)).first;
  });
}

Result<bool> SteadyState::pass(std::span<const RankActivity> ended) {
  end_recording(ended);
  contents_.resize(supply_.program_count());
  for (std::uint32_t program = 0; program < contents_.size(); ++program)
    contents_[program] = supply_.last_window(program).content;
  std::uint64_t passed = 0;
  bool is_known = std::find(contents_.begin(), contents_.end(), 0) == contents_.end();
  for (Stretch* stretch = is_known ? stretches_.find(contents_) : nullptr; stretch != nullptr;) {
    stop_if_requested();
    if (options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed))
      return Error{.message = "cancelled"};
    // The first is of windows that ranks have been given already; from there on as many at once as hold the same.
    const std::uint64_t times = passed == 0 ? 1 : windows_alike();
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
    is_known = read_next_contents();
    stretch = is_known ? stretches_.find(contents_) : nullptr;
  }
  if (passed > 0) sink_.passed_to(state_.now);
  if (is_known && stretches_.is_worth_keeping(contents_)) begin_recording();
  if (passed == 0) return false;
  supply_.pass_classes(passed - 1);
  clear_windows(ended);
  return true;
}

/// The contents of the windows after those that were made or passed last. False if of one of them nothing is known.
bool SteadyState::read_next_contents() {
  for (std::uint32_t program = 0; program < contents_.size(); ++program) {
    if (contents_[program] == WindowSupply::kNoWindow) continue;
    contents_[program] = supply_.next_content(program);
    if (contents_[program] == 0) return false;
  }
  return true;
}

/// How many windows from the next on, of every program, hold the same.
std::uint64_t SteadyState::windows_alike() const {
  std::uint64_t count = ~std::uint64_t{0};
  for (std::uint32_t program = 0; program < contents_.size(); ++program) {
    if (contents_[program] != WindowSupply::kNoWindow) count = std::min(count, supply_.next_alike(program));
  }
  return count;
}

/// The windows before those that ranks go on with were passed: everything in them has ended.
void SteadyState::clear_windows(std::span<const RankActivity> ended) {
  for (const RankActivity& last : ended) {
    RankState& state = state_.ranks[last.rank];
    for (const LiveWindow& window : state.windows) state_.counters.give_back({window.waiting, window.slab});
    state.windows.clear();
    state.use.finish_ps = state_.now;
    const std::vector<std::uint64_t>& on_stream = supply_.on_stream(supply_.program_of(last.rank));
    for (std::uint32_t stream = 0; stream < on_stream.size(); ++stream) {
      StreamState& line = state_.streams[state_.bundles.first_stream[last.rank] + stream];
      line.started = on_stream[stream];
      line.next = kNoActivity;
      OpenCollectives& collectives = state_.collectives[state_.bundles.number(last.rank, stream)];
      assert(collectives.empty());
      collectives.go_on_from(on_stream[stream]);
    }
  }
}

void SteadyState::note_windows(std::span<const RankActivity> ended) {
  if (!recording_) return;
  for (const RankActivity& last : ended) {
    const std::uint32_t program = supply_.program_of(last.rank);
    if (recording_->windows[program].activities > 0) continue;  // another rank of the program told
    recording_->windows[program] = WindowExtent::of(*state_.ranks[last.rank].windows.back().planned);
    recording_->first[program] = supply_.last_window(program).first;
  }
}

void SteadyState::begin_recording() {
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

/// The job is quiescent again. Where that is not one window later for every rank, what happened is not kept.
void SteadyState::end_recording(std::span<const RankActivity> ended) {
  if (!recording_) return;
  const bool one_window = std::all_of(ended.begin(), ended.end(), [&](const RankActivity& last) {
    return state_.ranks[last.rank].windows[0].first == recording_->first[supply_.program_of(last.rank)];
  });
  const std::size_t part = sink_.end_part(one_window);
  if (one_window) stretches_.keep(recording_->contents, recorded_stretch(part));
  recording_.reset();
}

/// What came since begin_recording().
Stretch SteadyState::recorded_stretch(std::size_t part) const {
  Stretch stretch;
  stretch.part = part;
  stretch.length_ps = state_.now - recording_->begin_ps;
  stretch.done = state_.done - recording_->done;
  stretch.windows = recording_->windows;
  for (std::size_t rank = 0; rank < state_.ranks.size(); ++rank) {
    const RankUse &before = recording_->ranks[rank], &after = state_.ranks[rank].use;
    stretch.ranks.push_back({0, after.compute_ps - before.compute_ps, after.communication_ps - before.communication_ps,
                             after.exposed_ps - before.exposed_ps});
  }
  std::vector<LinkCount> links;
  network_.count_links(links);
  for (machine::LinkId link = 0; link < links.size(); ++link) {
    const LinkCount& before = recording_->links[link];
    const LinkCount difference{links[link].bytes.minus(before.bytes), links[link].busy_ps - before.busy_ps};
    if (difference != LinkCount{}) stretch.links.push_back({link, difference});
  }
  return stretch;
}

void SteadyState::finish() {
  if (recording_) sink_.end_part(false);
  for (const Stretch& stretch : stretches_.all()) {
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
