// The members of many dicts that have the same keys.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/column.h"
#include "base/plain/plain_values.h"

namespace orrery {

/// Finds members of dicts by keys that are known beforehand. Writers repeat a key as a reference to one text: it is
/// compared once, and recognised by its number from then on.
template <std::size_t kKeys>
class PlainMembers {
 public:
  /// By key; PlainValues::kMissing where there is none.
  using Members = std::array<PlainId, kKeys>;

  explicit PlainMembers(const std::array<std::string_view, kKeys>& keys) : keys_(keys) {}

  /// False if it is no dict; of equal keys the last counts. Numbers from `first_new` on may come to stand for other
  /// values, and are not remembered.
  bool open(const PlainValues& values, PlainId dict, Members& out, PlainId first_new = PlainValues::kMissing) {
    out.fill(PlainValues::kMissing);
    if (!values.is(dict, PlainValues::Type::dict)) return false;
    const std::span<const PlainId> members = values.items(dict);
    for (std::size_t i = 0; i + 1 < members.size(); i += 2) {
      const std::uint8_t key = members[i] < known_.size() && known_[members[i]] != kUnknown
                                   ? known_[members[i]]
                                   : find(values, members[i], first_new);
      if (key < kKeys) out[key] = members[i + 1];
    }
    return true;
  }

 private:
  static constexpr std::uint8_t kUnknown = 0xFF;
  static_assert(kKeys < kUnknown);

  std::uint8_t find(const PlainValues& values, PlainId key, PlainId first_new) {
    const auto place = values.is(key, PlainValues::Type::text)
                           ? std::find(keys_.begin(), keys_.end(), values.text(key)) - keys_.begin()
                           : static_cast<std::ptrdiff_t>(kKeys);
    const auto found = static_cast<std::uint8_t>(place);
    if (key >= first_new) return found;
    if (key >= known_.size()) known_.resize(key + std::size_t{1}, kUnknown);
    return known_[key] = found;
  }

  std::array<std::string_view, kKeys> keys_;
  Column<std::uint8_t> known_;  // by number of the key's value; kKeys: it is none of them
};

}  // namespace orrery
