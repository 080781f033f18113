#include "graph/time_patch.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "base/radix_sort.h"

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
    copy->reserve(size_);
    copy->append(*dense_);
    dense_ = std::move(copy);
  }
  TimePs& value = (*dense_)[change.index];
  value = apply(value, change);
}

void TimePatch::make_dense() {
  dense_ = std::make_shared<Column<TimePs>>();
  dense_->reserve(size_);
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
  Column<KeyedIndex> by_index(log_.size());
  for (std::size_t i = 0; i < log_.size(); ++i) by_index[i] = {log_[i].index, static_cast<std::uint32_t>(i)};
  const auto less = [](const KeyedIndex& a, const KeyedIndex& b) { return a.key < b.key; };
  if (!std::is_sorted(by_index.begin(), by_index.end(), less)) radix_sort(by_index);
  folded.indices.reserve(log_.size());
  folded.values.reserve(log_.size());
  for (const KeyedIndex& at : by_index) {
    const Change& change = log_[at.index];
    if (folded.indices.empty() || folded.indices.back() != change.index) {
      folded.indices.push_back(change.index);
      folded.values.push_back(base(change.index));
    }
    folded.values.back() = apply(folded.values.back(), change);
  }
  return folded;
}

}  // namespace orrery::graph
