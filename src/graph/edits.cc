#include "graph/edits.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/radix_sort.h"

namespace orrery::graph {
namespace {

template <typename T>
Column<T> copied(std::span<const T> values) {
  Column<T> copy;
  copy.reserve(values.size());
  copy.append(values);
  return copy;
}

template <typename T, T kDefault>
OptionalColumn<T, kDefault> copied(const OptionalColumn<T, kDefault>& values) {
  return OptionalColumn<T, kDefault>(copied(values.values()));
}

// `base` may be empty: zeros.
Column<TimePs> patched(std::span<const TimePs> base, std::size_t size, const TimePatch& patch) {
  const TimePatch::Folded changes = patch.fold();
  if (changes.dense != nullptr) return copied(std::span<const TimePs>(*changes.dense));
  if (changes.indices.empty()) return copied(base);
  Column<TimePs> values = base.empty() ? Column<TimePs>(size, 0) : copied(base);
  for (std::size_t i = 0; i < changes.indices.size(); ++i) values[changes.indices[i]] = changes.values[i];
  return values;
}

}  // namespace

Graph with_edits(const Edits& edits) {
  const Graph& graph = edits.graph();
  const GraphColumns& from = graph.columns();
  GraphColumns columns;
  columns.rows = copied(graph.rows());
  columns.sources = copied(graph.source_positions());
  columns.weights = patched(graph.weights(), graph.edge_count(), edits.weights());
  columns.types = copied(from.types);
  columns.edge_tags = copied(from.edge_tags);
  columns.edge_ids = copied(std::span<const EdgeId>(from.edge_ids));
  columns.nodes = copied(std::span<const NodeId>(from.nodes));
  columns.positions = copied(std::span<const Position>(from.positions));
  columns.durations = OptionalColumn<TimePs>(patched(graph.durations(), graph.node_count(), edits.durations()));
  columns.kinds = copied(from.kinds);
  columns.node_tags = copied(from.node_tags);
  columns.start_to_start_type = from.start_to_start_type;
  return Graph(std::move(columns));
}

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
  own_dense();
  (*dense_)[index] = value;
}

std::span<TimePs> TimePatch::all() {
  if (dense_ == nullptr) make_dense();
  own_dense();
  return *dense_;
}

void TimePatch::own_dense() {
  if (dense_.use_count() == 1) return;  // else a copy of this patch, or what fold() returned, must not see the change
  auto copy = std::make_shared<Column<TimePs>>();
  copy->reserve(size_);
  copy->append(*dense_);
  dense_ = std::move(copy);
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
