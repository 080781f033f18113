// Gives every set of ranks a small number, after checking that it is a group at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace orrery::simulate {

/// Each distinct list is checked and sorted once; finding it again costs a hash over the list.
class GroupTable {
 public:
  using GroupId = std::uint32_t;

  explicit GroupTable(std::uint32_t device_count) : device_count_(device_count) {}

  /// The same number for every order of the same ranks. An Error if there are none, or one is named twice or is not a
  /// device.
  Result<GroupId> intern(std::span<const std::uint32_t> ranks);

  /// Ascending.
  [[nodiscard]] std::span<const std::uint32_t> ranks(GroupId group) const { return groups_[group]; }

 private:
  using Ranks = std::vector<std::uint32_t>;
  struct RanksHash {
    using is_transparent = void;
    std::size_t operator()(std::span<const std::uint32_t> ranks) const;
  };
  struct RanksEqual {
    using is_transparent = void;
    bool operator()(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) const;
  };

  std::uint32_t device_count_;
  std::vector<Ranks> groups_;                                          ///< by GroupId, ascending
  std::unordered_map<Ranks, GroupId, RanksHash, RanksEqual> by_list_;  ///< in every order seen so far, and ascending
};

}  // namespace orrery::simulate
