#include "simulate/pricing/recording_model.h"

#include <algorithm>
#include <utility>

namespace orrery::simulate {

CommOp Recording::op(std::size_t i) const {
  const RecordedOp& recorded = ops[i];
  CommOp op;
  op.kind = recorded.kind;
  op.collective = recorded.collective;
  op.bytes = recorded.bytes;
  op.ranks = rank_sets[recorded.rank_set];
  if (recorded.parts != 0) op.parts = parts[recorded.parts - 1];
  op.root = recorded.root;
  op.flow = recorded.flow;
  op.recorded_ps = recorded.recorded_ps;
  return op;
}

std::uint32_t RecordingModel::intern(std::span<const std::uint32_t> ranks) {
  const auto [found, fresh] = rank_set_numbers_.try_emplace(std::vector<std::uint32_t>(ranks.begin(), ranks.end()),
                                                            static_cast<std::uint32_t>(recording_.rank_sets.size()));
  if (fresh) recording_.rank_sets.push_back(found->first);
  return found->second;
}

Status RecordingModel::start(OpId id, const CommOp& op, TimePs now) {
  if (Status started = model_.start(id, op, now); !started) return started;
  RecordedOp recorded{.id = id,
                      .kind = op.kind,
                      .collective = op.collective,
                      .bytes = op.bytes,
                      .rank_set = intern(op.ranks),
                      .root = op.root,
                      .flow = op.flow,
                      .recorded_ps = op.recorded_ps,
                      .start_ps = now};
  if (!op.parts.empty()) {
    recording_.parts.emplace_back(op.parts.begin(), op.parts.end());
    recorded.parts = static_cast<std::uint32_t>(recording_.parts.size());
  }
  place_of_[id] = recording_.ops.size();
  recording_.ops.push_back(recorded);
  return {};
}

void RecordingModel::advance(TimePs now, std::vector<OpId>& finished) {
  const std::size_t first = finished.size();
  model_.advance(now, finished);
  for (std::size_t i = first; i < finished.size(); ++i) {
    const auto place = place_of_.find(finished[i]);
    recording_.ops[place->second].end_ps = now;
    place_of_.erase(place);
  }
}

void RecordingModel::restart() {
  model_.restart();
  take();
}

Recording RecordingModel::take() {
  place_of_.clear();
  rank_set_numbers_.clear();
  Recording taken = std::exchange(recording_, {});
  std::sort(taken.ops.begin(), taken.ops.end(), [](const RecordedOp& a, const RecordedOp& b) { return a.id < b.id; });
  return taken;
}

}  // namespace orrery::simulate
