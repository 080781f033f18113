#include "simulate/pricing/recording.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

// A model around another one that notes what is asked of it. Two recordings are compared by how far starts moved and by
// who overlaps whom, as the mean Jaccard distance of those sets over a sample of the operations.

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
  // A job has few sets of ranks and many operations: each set is kept once.
  const auto [found, fresh] = rank_set_numbers_.try_emplace(std::vector<std::uint32_t>(ranks.begin(), ranks.end()),
                                                            static_cast<std::uint32_t>(recording_.rank_sets.size()));
  if (fresh) recording_.rank_sets.push_back(found->first);
  return found->second;
}

Status RecordingModel::start(OpId id, const CommOp& op, TimePs now) {
  // What was refused is no part of the recording.
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

void RecordingModel::reset(LinkRecorder* recorder) {
  model_.restart(recorder);
  take();
}

Recording RecordingModel::take() {
  place_of_.clear();
  rank_set_numbers_.clear();
  Recording taken = std::exchange(recording_, {});
  // By id: both runs of a comparison, and signatures, must not depend on the order of starts.
  std::sort(taken.ops.begin(), taken.ops.end(), [](const RecordedOp& a, const RecordedOp& b) { return a.id < b.id; });
  return taken;
}

namespace {

/// Finds whom an operation overlaps.
class Overlaps {
 public:
  explicit Overlaps(const Recording& recording) : recording_(recording) {
    for (const RecordedOp& op : recording.ops) {
      by_start_.push_back(&op);
      longest_ps_ = std::max(longest_ps_, op.end_ps - op.start_ps);
    }
    std::stable_sort(by_start_.begin(), by_start_.end(),
                     [](const RecordedOp* a, const RecordedOp* b) { return a->start_ps < b->start_ps; });
  }

  /// The ids, ascending.
  [[nodiscard]] std::vector<OpId> of(const RecordedOp& op) const {
    const auto starts_before = [](const RecordedOp* other, TimePs moment) { return other->start_ps < moment; };
    // Nothing that started longer ago than anything takes is still there.
    const auto first = std::lower_bound(by_start_.begin(), by_start_.end(), op.start_ps - longest_ps_, starts_before);
    const auto last = std::lower_bound(by_start_.begin(), by_start_.end(), op.end_ps, starts_before);
    std::vector<OpId> ids;
    for (auto other = first; other < last; ++other) {
      if ((*other)->end_ps > op.start_ps && (*other)->id != op.id) ids.push_back((*other)->id);
    }
    std::sort(ids.begin(), ids.end());
    return ids;
  }

  [[nodiscard]] const RecordedOp* find(OpId id) const {
    const auto found = std::lower_bound(recording_.ops.begin(), recording_.ops.end(), id,
                                        [](const RecordedOp& op, OpId wanted) { return op.id < wanted; });
    return found == recording_.ops.end() || found->id != id ? nullptr : &*found;
  }

 private:
  const Recording& recording_;
  std::vector<const RecordedOp*> by_start_;
  TimePs longest_ps_ = 0;
};

double jaccard_distance(const std::vector<OpId>& a, const std::vector<OpId>& b) {
  std::vector<OpId> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  const std::size_t either = a.size() + b.size() - both.size();
  // Two empty sets are equal.
  return either == 0 ? 0 : 1 - static_cast<double>(both.size()) / static_cast<double>(either);
}

}  // namespace

TimePs largest_shift_ps(const Recording& before, const Recording& after) {
  TimePs most = 0;
  auto there = after.ops.begin();
  for (const RecordedOp& op : before.ops) {
    // Both are by id: one pass finds the pairs.
    while (there != after.ops.end() && there->id < op.id) ++there;
    if (there != after.ops.end() && there->id == op.id) most = std::max(most, std::abs(there->start_ps - op.start_ps));
  }
  return most;
}

double overlap_mismatch(const Recording& before, const Recording& after) {
  const Overlaps then(before), now(after);
  // At most kMostCompared, spread evenly.
  // Every n-th, so that all of the run is looked at.
  const std::size_t step = std::max<std::size_t>(1, (before.ops.size() + kMostCompared - 1) / kMostCompared);
  double sum = 0;
  std::size_t compared = 0;
  for (std::size_t i = 0; i < before.ops.size(); i += step) {
    const RecordedOp* const same = now.find(before.ops[i].id);
    if (same == nullptr) continue;
    sum += jaccard_distance(then.of(before.ops[i]), now.of(*same));
    ++compared;
  }
  return compared == 0 ? 0 : sum / static_cast<double>(compared);
}

std::vector<std::uint32_t> fabrics_of(const Recording& recording, const machine::Network& network) {
  std::vector<std::uint32_t> of_set;
  for (const std::vector<std::uint32_t>& ranks : recording.rank_sets) {
    std::size_t outermost = 0;
    // The outermost dimension that its members differ in is the fabric that carries it.
    for (const std::uint32_t rank : ranks) outermost = std::max(outermost, network.outermost_dimension(ranks[0], rank));
    of_set.push_back(static_cast<std::uint32_t>(outermost));
  }
  std::vector<std::uint32_t> fabrics;
  for (const RecordedOp& op : recording.ops) fabrics.push_back(of_set[op.rank_set]);
  return fabrics;
}

Result<std::vector<machine::LinkId>> links_of_several_fabrics(const Recording& recording,
                                                              std::span<const std::uint32_t> fabric_of,
                                                              Lowering& lowering) {
  constexpr std::uint32_t kNoFabric = ~std::uint32_t{0}, kSeveralFabrics = kNoFabric - 1;
  std::vector<std::uint32_t> fabric_of_link(lowering.network().links().size(), kNoFabric);
  std::set<std::tuple<CommOp::Kind, workload::Collective, std::uint32_t, std::uint64_t, std::int64_t>> looked_at;
  for (std::size_t i = 0; i < recording.ops.size(); ++i) {
    const RecordedOp& op = recording.ops[i];
    const bool message = op.kind == CommOp::Kind::message;
    // A message takes the same way whatever its size and number, unless routes depend on that; a collective does not.
    if (!looked_at.emplace(op.kind, op.collective, op.rank_set, message ? 0 : op.flow, message ? 0 : op.bytes).second)
      continue;
    const auto plan = lowering.plan(recording.op(i));
    if (!plan) return plan.error();
    for (const PlanPhase& phase : (*plan)->phases) {
      for (const LinkShare& share : phase.shares) {
        std::uint32_t& fabric = fabric_of_link[share.link];
        if (fabric == kNoFabric) fabric = fabric_of[i];
        else if (fabric != fabric_of[i]) fabric = kSeveralFabrics;
      }
    }
  }
  std::vector<machine::LinkId> shared;
  for (machine::LinkId link = 0; link < fabric_of_link.size(); ++link) {
    if (fabric_of_link[link] == kSeveralFabrics) shared.push_back(link);
  }
  return shared;
}

}  // namespace orrery::simulate
