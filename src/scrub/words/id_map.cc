#include "scrub/words/id_map.h"

#include <algorithm>

namespace orrery::scrub {

void IdMap::thin_out() {
  std::sort(collected_.begin(), collected_.end());
  collected_.erase(std::unique(collected_.begin(), collected_.end()), collected_.end());
  limit_ = std::max<std::size_t>(limit_, 2 * collected_.size());
}

void IdMap::collect(const IdMap& other) {
  for (const std::int64_t number : other.collected_) collect(number);
}

void IdMap::seal() { thin_out(); }

std::optional<std::int64_t> IdMap::find(std::int64_t number) const {
  // -1 is "none" to Kineto; other negative numbers are nobody's, and might be anything.
  if (keeps(number)) return number >= -1 ? number : -1;
  const auto at = std::lower_bound(collected_.begin(), collected_.end(), number);
  if (at == collected_.end() || *at != number) return std::nullopt;
  return kFirstNew + (at - collected_.begin());
}

}  // namespace orrery::scrub
