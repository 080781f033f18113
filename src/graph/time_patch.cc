#include "graph/time_patch.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace orrery::graph {

void TimePatch::scale(std::uint32_t index, double factor) {
  if (!std::isnan(factor)) record({index, Kind::scale, std::bit_cast<std::int64_t>(factor)});
}

TimePs TimePatch::apply(TimePs value, const Change& change) {
  if (value == kRemovedWeight) return value;
  if (change.kind == Kind::set) return change.value;
  if (value == 0) return 0;  // also for an infinite factor
  const double scaled = static_cast<double>(value) * std::bit_cast<double>(change.value);
  constexpr double kLimit = static_cast<double>(kMaxWeightPs);
  if (scaled >= kLimit) return kMaxWeightPs;
  if (scaled <= -kLimit) return -kMaxWeightPs;
  return std::llround(scaled);
}

void TimePatch::record(Change change) {
  assert(change.index < size_);
  first_ = std::min(first_, change.index);
  if (dense_ == nullptr) {
    log_.push_back(change);
    if (log_.size() > 1024 && log_.size() > size_ / 8) make_dense();
    return;
  }
  if (dense_.use_count() > 1) {
    auto copy = std::make_shared<Column<TimePs>>();
    copy->append(*dense_);
    dense_ = std::move(copy);
  }
  TimePs& value = (*dense_)[change.index];
  value = apply(value, change);
}

void TimePatch::make_dense() {
  dense_ = std::make_shared<Column<TimePs>>();
  if (base_.empty()) dense_->assign(size_, 0);
  else dense_->append(base_);
  for (const Change& change : log_) {
    TimePs& value = (*dense_)[change.index];
    value = apply(value, change);
  }
  log_ = {};
}

TimePatch::Folded TimePatch::fold() const {
  Folded folded;
  folded.dense = dense_;
  const auto by_index = [](const Change& a, const Change& b) { return a.index < b.index; };
  std::vector<Change> sorted;
  const std::vector<Change>* changes = &log_;
  if (!std::is_sorted(log_.begin(), log_.end(), by_index)) {
    sorted = log_;
    std::stable_sort(sorted.begin(), sorted.end(), by_index);
    changes = &sorted;
  }
  folded.indices.reserve(changes->size());
  folded.values.reserve(changes->size());
  for (const Change& change : *changes) {
    if (folded.indices.empty() || folded.indices.back() != change.index) {
      folded.indices.push_back(change.index);
      folded.values.push_back(base(change.index));
    }
    folded.values.back() = apply(folded.values.back(), change);
  }
  return folded;
}

}  // namespace orrery::graph
