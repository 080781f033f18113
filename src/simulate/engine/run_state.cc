#include "simulate/engine/run_state.h"

#include <algorithm>

namespace orrery::simulate {

CounterSlabs::Piece CounterSlabs::take(std::size_t count) {
  if (slabs_.empty() || slabs_[current_].counters.size() - slabs_[current_].used < count) {
    // A slab that nobody uses is taken again before memory is asked for.
    const auto unused = std::find_if(slabs_.begin(), slabs_.end(), [](const Slab& slab) { return slab.pieces == 0; });
    current_ = static_cast<std::uint32_t>(unused - slabs_.begin());
    if (unused == slabs_.end()) slabs_.emplace_back();
    slabs_[current_].used = 0;
    slabs_[current_].counters = Column<std::uint32_t>(std::max(count, kSlabCounters));
  }
  Slab& slab = slabs_[current_];
  const Piece piece{{slab.counters.data() + slab.used, count}, current_};
  slab.used += count;
  ++slab.pieces;
  return piece;
}

void CounterSlabs::give_back(const Piece& piece) {
  Slab& slab = slabs_[piece.slab];
  // Pieces go back in any order; a slab is free when the last has gone.
  if (--slab.pieces > 0) return;
  slab.used = 0;
  // The current slab keeps its memory, as the next piece comes from it.
  if (piece.slab != current_) slab.counters = Column<std::uint32_t>();
}

std::uint64_t RankState::on_stream(std::uint32_t stream, std::uint64_t place) const {
  for (const LiveWindow& window : windows) {
    const std::vector<std::uint32_t>& activities = window.planned->lines->streams[stream].activities;
    // Unsigned: a place before the window wraps around to a large offset and is not found either.
    const std::uint64_t offset = place - window.planned->first_on_stream[stream];
    if (offset < activities.size()) return window.first + activities[offset];
  }
  return kNoActivity;
}

std::uint64_t RankState::on_channel(std::uint32_t channel, std::uint64_t place) const {
  for (const LiveWindow& window : windows) {
    const std::vector<std::uint32_t>& activities = window.planned->lines->channels[channel].activities;
    const std::uint64_t offset = place - window.planned->first_on_channel[channel];
    if (offset < activities.size()) return window.first + activities[offset];
  }
  return kNoActivity;
}

RunState::RunState(const workload::Membership& membership, RankClasses rank_classes)
    : classes(std::move(rank_classes)),
      bundles(membership, classes),
      ranks(classes.size()),
      unfinished(classes.size()) {
  first_channel.push_back(0);
  for (std::uint32_t c = 0; c < classes.size(); ++c)
    first_channel.push_back(first_channel.back() + membership.structure(classes.first(c)).channels.size());
  streams.resize(bundles.first_stream.back());
  collectives.resize(bundles.all.size());
}

workload::Side RunState::side(std::uint32_t rank, std::uint64_t activity) const {
  const LiveWindow& window = *ranks[classes.class_of[rank]].find(activity);
  return {rank, window.planned->program.get(), static_cast<std::uint32_t>(activity - window.first)};
}

workload::Side RunState::side_on_stream(std::uint32_t rank, std::uint32_t stream, std::uint64_t place) const {
  return side(rank, ranks[classes.class_of[rank]].on_stream(stream, place));
}

workload::Side member_side(const workload::Membership& membership, const RunState& state,
                           const Communicator& communicator, std::uint32_t member, std::uint64_t place) {
  return state.side_on_stream(member, membership.structure(member).find_stream(communicator.name), place);
}

Status check_agreement(const workload::Membership& membership, const RunState& state, const Communicator& communicator,
                       const Bundle& bundle, std::uint64_t place) {
  const auto program_of = [&](std::uint32_t rank) { return membership.job().program_of_rank[rank]; };
  const workload::Side first = member_side(membership, state, communicator, communicator.ranks[0], place);
  if (Status status = check_first_member(membership, communicator, first); !status) return status;
  for (const std::uint32_t rank_class : bundle.classes) {
    const std::uint32_t rank = state.classes.first(rank_class);
    // Equal programs agree with themselves.
    if (program_of(rank) == program_of(first.rank)) continue;  // and so the same activity
    const workload::Side other = member_side(membership, state, communicator, rank, place);
    if (Status status = check_members_agree(membership, communicator, place, first, other); !status) return status;
  }
  return {};
}

}  // namespace orrery::simulate
