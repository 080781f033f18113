// Bytes that are fractions of transfers, added up without rounding.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/int128.h"

namespace orrery::simulate {

/// In units of 2^-32 byte: what is added is rounded to that, and sums are exact, so that they do not depend on the
/// order in which they were made, and n times a sum is what adding it n times would give.
class ByteSum {
 public:
  /// At least 0, and below 2^63.
  void add(double bytes) {
    const auto whole = static_cast<std::int64_t>(bytes);
    units_ += static_cast<Int128>(whole) << kFractionBits;
    units_ += std::llround((bytes - static_cast<double>(whole)) * 0x1p32);
  }
  void add(const ByteSum& other) { units_ += other.units_; }
  void add(const ByteSum& other, std::uint64_t times) { units_ += other.units_ * static_cast<Int128>(times); }
  [[nodiscard]] ByteSum minus(const ByteSum& other) const {
    ByteSum difference;
    difference.units_ = units_ - other.units_;
    return difference;
  }
  [[nodiscard]] double bytes() const { return static_cast<double>(units_) * 0x1p-32; }

  friend bool operator==(const ByteSum&, const ByteSum&) = default;

 private:
  static constexpr int kFractionBits = 32;
  Int128 units_ = 0;
};

}  // namespace orrery::simulate
