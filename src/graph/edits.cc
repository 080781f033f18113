#include "graph/edits.h"

#include <algorithm>
#include <cassert>

#include "base/radix_sort.h"

namespace orrery::graph {
namespace {

// Below this a copy of the column is not worth its allocation, however short the column is.
constexpr std::size_t kShortLog = 1024;

}  // namespace

void TimePatch::set(std::uint32_t index, TimePs value) {
  assert(index < size_);
  value = std::clamp(value, -kMaxWeightPs, kMaxWeightPs);
  if (dense_ == nullptr) {
    log_.push_back({index, value});
    if (log_.size() > kShortLog && log_.size() > size_ / 8) make_dense();
    return;
  }
  if (dense_.use_count() > 1) {  // a copy of this patch, or what fold() returned, must not see the change
    auto copy = std::make_shared<Column<TimePs>>();
    copy->reserve(size_);
    copy->append(*dense_);
    dense_ = std::move(copy);
  }
  (*dense_)[index] = value;
}

void TimePatch::make_dense() {
  dense_ = std::make_shared<Column<TimePs>>();
  dense_->reserve(size_);
  if (base_.empty()) dense_->assign(size_, 0);
  else dense_->append(base_);
  for (const Change& change : log_) (*dense_)[change.index] = change.value;
  log_ = {};
}

TimePatch::Folded TimePatch::fold() const {
  Folded folded;
  folded.dense = dense_;
  Column<KeyedIndex> by_index(log_.size());
  for (std::size_t i = 0; i < log_.size(); ++i) by_index[i] = {log_[i].index, static_cast<std::uint32_t>(i)};
  const auto less = [](const KeyedIndex& a, const KeyedIndex& b) { return a.key < b.key; };
  // Whoever edits goes through the slots in order, mostly. The sort is stable, so that the last change of an index
  // stays the last.
  if (!std::is_sorted(by_index.begin(), by_index.end(), less)) radix_sort(by_index);
  folded.indices.reserve(log_.size());
  folded.values.reserve(log_.size());
  for (const KeyedIndex& at : by_index) {
    const Change& change = log_[at.index];
    if (folded.indices.empty() || folded.indices.back() != change.index) {
      folded.indices.push_back(change.index);
      folded.values.push_back(change.value);
    }
    folded.values.back() = change.value;
  }
  return folded;
}

}  // namespace orrery::graph
