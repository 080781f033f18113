// Where the arguments of events go.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/column.h"
#include "base/interner.h"

namespace orrery::perfetto {

/// The keys of arguments, and which column each goes to: looked up once per key.
class ArgumentKeys {
 public:
  static constexpr std::int16_t kNamed = -1;    ///< no Field: kept under its own name
  static constexpr std::int16_t kIgnored = -2;  ///< a Field that is read on request only

  /// `operands`: see formats::TraceOptions.
  ArgumentKeys(Interner& strings, bool operands) : strings_(strings), operands_(operands) {}

  /// The number of a key that is written out. Events of a kind have the same keys in the same order: the one that
  /// followed the last one before is compared first, without a hash.
  StringId number_of(std::string_view key) {
    if (last_ >= next_.size()) next_.resize(last_ + std::size_t{1}, 0);
    StringId& next = next_[last_];
    if (strings_.text(next) != key) next = strings_.intern(key);
    return last_ = next;
  }

  /// The place of a Field, or one of the above.
  std::int16_t target(StringId key) {
    if (key < targets_.size() && targets_[key] != kUnknown) return targets_[key];
    return find(key);
  }

 private:
  static constexpr std::int16_t kUnknown = -3;
  std::int16_t find(StringId key);

  Interner& strings_;
  bool operands_;
  Column<std::int16_t> targets_;  // by key
  Column<StringId> next_;         // by key
  StringId last_ = 0;
};

}  // namespace orrery::perfetto
