#include "simulate/engine/started_operations.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "workload/agreement.h"
#include "workload/collective_parts.h"

namespace orrery::simulate {
namespace {

constexpr std::size_t kMostLookedAt = 16;

/// Of `lines`, those that were seen first of their class. `op_of` says what a line does, and `alike_of` where to put
/// down the others of the class of a line.
template <typename OpOf, typename AlikeOf>
std::vector<std::uint32_t> first_of_classes(const NetworkFolding& folding, std::span<const std::uint32_t> lines,
                                            const OpOf& op_of, const AlikeOf& alike_of) {
  std::vector<std::uint32_t> firsts;
  std::unordered_map<std::uint32_t, std::uint32_t> first_of_class;
  for (const std::uint32_t line : lines) {
    const CommOp op = op_of(line);
    const auto [at, is_first] = first_of_class.try_emplace(folding.class_of(op), line);
    if (is_first) firsts.push_back(line);
    else alike_of(at->second).push_back({op.ranks, op.flow});
  }
  return firsts;
}

template <typename Map, typename Key>
std::span<const AlikeOp> found_in(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? std::span<const AlikeOp>() : std::span<const AlikeOp>(found->second);
}

}  // namespace

std::span<const std::uint32_t> StartedOperations::of_bundle(std::uint32_t bundle) {
  const std::vector<std::uint32_t>& all = state_.bundles.all[bundle].communicators;
  if (folding_ == nullptr || all.size() == 1) return all;
  of_bundles_.resize(state_.bundles.all.size());
  Started& started = of_bundles_[bundle];
  if (std::exchange(started.is_known, true)) return started.lines;
  const auto op_of = [&](std::uint32_t communicator) {
    CommOp op;
    op.kind = CommOp::Kind::collective;
    op.ranks = membership_.communicators()[communicator].ranks;
    op.flow = communicator;
    return op;
  };
  started.lines = first_of_classes(*folding_, all, op_of, [&](std::uint32_t communicator) -> std::vector<AlikeOp>& {
    return alike_collectives_[communicator];
  });
  return started.lines;
}

std::span<const std::uint32_t> StartedOperations::of_channel(std::uint32_t rank_class, std::uint32_t channel) {
  const std::vector<std::uint32_t>& all = state_.classes.members[rank_class];
  if (folding_ == nullptr || all.size() == 1) return all;
  const auto [at, is_new] = of_channels_.try_emplace(channel_of(rank_class, channel));
  if (!is_new) return at->second;
  const auto op_of = [&](std::uint32_t source) {
    const Ends& ends =
        ends_.emplace_back(Ends{source, membership_.peer(source, membership_.structure(source).channels[channel])});
    CommOp op;
    op.ranks = ends;
    return op;
  };
  at->second = first_of_classes(*folding_, all, op_of, [&](std::uint32_t source) -> std::vector<AlikeOp>& {
    return alike_messages_[channel_of(source, channel)];
  });
  return at->second;
}

std::span<const AlikeOp> StartedOperations::alike_collectives(std::uint32_t communicator) const {
  return found_in(alike_collectives_, communicator);
}

std::span<const AlikeOp> StartedOperations::alike_messages(std::uint32_t rank, std::uint32_t channel) const {
  return found_in(alike_messages_, channel_of(rank, channel));
}

void StartedOperations::announce() {
  of_bundles_.clear();
  of_channels_.clear();
  alike_collectives_.clear();
  alike_messages_.clear();
  ends_.clear();
  if (folding_ == nullptr) return;
  for (std::uint32_t c = 0; c < state_.classes.size(); ++c) {
    for (const LiveWindow& window : state_.ranks[c].windows) {
      const workload::ProgramLines& lines = *window.planned->lines;
      for (std::uint32_t s = 0; s < lines.streams.size(); ++s) {
        const std::uint32_t bundle = state_.bundles.number(c, s);
        // All classes of a bundle do the same collectives.
        if (state_.bundles.all[bundle].classes[0] == c) announce_collectives(bundle, window, lines.streams[s]);
      }
      for (std::uint32_t channel = 0; channel < lines.channels.size(); ++channel) {
        if (lines.channels[channel].key.is_send) announce_messages(c, channel, window);
      }
    }
  }
}

void StartedOperations::announce_collectives(std::uint32_t bundle, const LiveWindow& window,
                                             const workload::Stream& stream) {
  const workload::Program& program = *window.planned->program;
  std::vector<std::tuple<workload::Collective, std::int64_t, std::uint32_t>> seen;
  for (const std::uint32_t activity : stream.activities) {
    if (!program.parts_of(activity).empty()) continue;  // its way is its own
    const workload::Communicator& first = membership_.communicators()[state_.bundles.all[bundle].communicators[0]];
    CommOp op;
    op.kind = CommOp::Kind::collective;
    op.collective = program.collectives[activity];
    op.bytes = workload::whole_bytes(op.collective, program.bytes[activity], first.ranks.size());
    if (workload::is_rooted(op.collective)) op.root = workload::root_place(first, program, activity);
    const std::tuple what(op.collective, op.bytes, op.root);
    // Mostly there are few, and what came last comes again. Of many the last are remembered: to tell of one twice does
    // no harm.
    const std::size_t looked_at = std::min<std::size_t>(seen.size(), kMostLookedAt);
    if (std::find(seen.rbegin(), seen.rbegin() + static_cast<std::ptrdiff_t>(looked_at), what) !=
        seen.rbegin() + static_cast<std::ptrdiff_t>(looked_at))
      continue;
    seen.push_back(what);
    for (const std::uint32_t communicator : of_bundle(bundle)) {
      op.ranks = membership_.communicators()[communicator].ranks;
      op.flow = communicator;
      op.alike = alike_collectives(communicator);
      folding_->announce(op);
    }
  }
}

void StartedOperations::announce_messages(std::uint32_t rank_class, std::uint32_t channel, const LiveWindow& window) {
  const std::vector<std::uint32_t>& activities = window.planned->lines->channels[channel].activities;
  if (activities.empty()) return;
  const auto& bytes = window.planned->program->bytes;
  const auto less = [&](std::uint32_t a, std::uint32_t b) { return bytes[a] < bytes[b]; };
  const auto [least, most] = std::minmax_element(activities.begin(), activities.end(), less);
  // Large messages ask first, which is all that their size decides.
  for (const std::uint32_t activity : {*least, *most}) {
    for (const std::uint32_t source : of_channel(rank_class, channel)) {
      const Ends ends{source, membership_.peer(source, membership_.structure(source).channels[channel])};
      CommOp op;
      op.bytes = bytes[activity];
      op.ranks = ends;
      op.alike = alike_messages(source, channel);
      folding_->announce(op);
    }
  }
}

}  // namespace orrery::simulate
