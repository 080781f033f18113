#include "simulate/engine/run_state.h"

namespace orrery::simulate {

std::uint64_t RankState::on_stream(std::uint32_t stream, std::uint64_t place) const {
  for (const LiveWindow& window : windows) {
    const std::vector<std::uint32_t>& activities = window.planned->lines->streams[stream].activities;
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
  foresights.resize(classes.size());
}

}  // namespace orrery::simulate
