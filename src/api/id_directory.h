// From a node's id to its place among ascending ids, without a hash table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace orrery::api {

/// Ids without gaps need no table. Otherwise they are cut into ranges of equal width, about one per id, and each range
/// knows where it begins: evenly spread ids are found at once, and the worst there are by halving.
class IdDirectory {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  IdDirectory() = default;
  /// `ids` are ascending, distinct, fewer than 2^31, and must outlive the directory.
  explicit IdDirectory(std::span<const std::uint64_t> ids) : ids_(ids) {
    if (ids.empty()) return;
    const std::uint64_t width = ids.back() - ids.front();
    without_gaps_ = width == ids.size() - 1;
    if (without_gaps_) return;
    while ((width >> shift_) >= 2 * ids.size()) ++shift_;
    begins_.resize((width >> shift_) + 2);
    std::size_t range = 0;
    for (std::uint32_t place = 0; place < ids.size(); ++place) {
      for (const std::size_t own = range_of(ids[place]); range <= own; ++range) begins_[range] = place;
    }
    begins_[range] = static_cast<std::uint32_t>(ids.size());
  }

  /// kNone if there is no such id.
  [[nodiscard]] std::uint32_t find(std::uint64_t id) const {
    if (ids_.empty() || id < ids_.front() || id > ids_.back()) return kNone;
    if (without_gaps_) return static_cast<std::uint32_t>(id - ids_.front());
    const std::size_t range = range_of(id);
    const auto begin = ids_.begin() + begins_[range], end = ids_.begin() + begins_[range + 1];
    const auto found = std::lower_bound(begin, end, id);
    return found == end || *found != id ? kNone : static_cast<std::uint32_t>(found - ids_.begin());
  }

 private:
  [[nodiscard]] std::size_t range_of(std::uint64_t id) const {
    return static_cast<std::size_t>((id - ids_.front()) >> shift_);
  }

  std::span<const std::uint64_t> ids_;
  std::vector<std::uint32_t>
      begins_;  // per range: the place of its first id, or of the next range's; then the number of ids
  unsigned shift_ = 0;
  bool without_gaps_ = false;
};

}  // namespace orrery::api
