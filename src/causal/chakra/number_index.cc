#include "causal/chakra/number_index.h"

#include <algorithm>

namespace orrery::causal::chakra {
namespace {

std::int64_t number_of(const KeyedIndex& entry) { return static_cast<std::int64_t>(entry.key ^ std::uint64_t{1} << 63); }

}  // namespace

void NumberIndex::seal() {
  if (entries_.empty()) return;
  const auto [least, greatest] =
      std::minmax_element(entries_.begin(), entries_.end(), [](const KeyedIndex& a, const KeyedIndex& b) { return a.key < b.key; });
  const std::uint64_t range = greatest->key - least->key;
  if (range > 16 * entries_.size() + 1024) return radix_sort(entries_);
  base_ = number_of(*least);
  table_.assign(range + 1, kMissing);
  for (const KeyedIndex& entry : entries_) table_[entry.key - radix_key(base_)] = entry.index;
  entries_ = {};
}

std::uint32_t NumberIndex::find(std::int64_t number) const {
  if (!table_.empty()) {
    const std::uint64_t at = radix_key(number) - radix_key(base_);
    return at < table_.size() ? table_[at] : kMissing;
  }
  const KeyedIndex* const after = std::upper_bound(entries_.begin(), entries_.end(), radix_key(number),
                                                   [](std::uint64_t key, const KeyedIndex& entry) { return key < entry.key; });
  return after == entries_.begin() || (after - 1)->key != radix_key(number) ? kMissing : (after - 1)->index;
}

}  // namespace orrery::causal::chakra
