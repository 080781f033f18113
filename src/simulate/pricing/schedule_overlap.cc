#include "simulate/pricing/schedule_overlap.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <vector>

namespace orrery::simulate {
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
  return either == 0 ? 0 : 1 - static_cast<double>(both.size()) / static_cast<double>(either);
}

}  // namespace

TimePs largest_shift_ps(const Recording& before, const Recording& after) {
  TimePs most = 0;
  auto there = after.ops.begin();
  for (const RecordedOp& op : before.ops) {
    while (there != after.ops.end() && there->id < op.id) ++there;
    if (there != after.ops.end() && there->id == op.id) most = std::max(most, std::abs(there->start_ps - op.start_ps));
  }
  return most;
}

double overlap_mismatch(const Recording& before, const Recording& after) {
  const Overlaps then(before), now(after);
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

}  // namespace orrery::simulate
