// Where the arguments of events go.
#pragma once

#include <cstdint>

#include "base/column.h"
#include "base/interner.h"

namespace orrery::perfetto {

/// Which column an argument goes to, by its key: looked up once per key.
class ArgumentKeys {
 public:
  static constexpr std::int16_t kNamed = -1;    ///< no Field: kept under its own name
  static constexpr std::int16_t kIgnored = -2;  ///< a Field that is read on request only

  /// `operands`: see formats::TraceOptions.
  ArgumentKeys(const Interner& strings, bool operands) : strings_(strings), operands_(operands) {}

  /// The place of a Field, or one of the above.
  std::int16_t target(StringId key) {
    if (key < targets_.size() && targets_[key] != kUnknown) return targets_[key];
    return find(key);
  }

 private:
  static constexpr std::int16_t kUnknown = -3;
  std::int16_t find(StringId key);

  const Interner& strings_;
  bool operands_;
  Column<std::int16_t> targets_;  // by key
};

}  // namespace orrery::perfetto
