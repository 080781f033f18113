// The parameters of the LogGOPS model: what a message costs its sender, its receiver, and the way between them.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/units.h"

namespace orrery::simulate::loggops {

/// LogGOPSim's defaults. A message of s bytes occupies the sender's processor for o + (s-1) O and its interface for g +
/// (s-1) G; its first byte arrives after o + L; it occupies the receiver's processor for o + (s-1) max(O, G) and its
/// interface for g + (s-1) G.
struct Parameters {
  TimePs latency_ps = 2'500 * kPsPerNs;      ///< L
  TimePs overhead_ps = 1'500 * kPsPerNs;     ///< o: processor time per message, at either end
  TimePs gap_ps = 1'000 * kPsPerNs;          ///< g: interface time per message, at either end
  std::int64_t gap_per_byte_fs = 6'000'000;  ///< G, in femtoseconds: 1 ns is 1,000,000. The inverse of the bandwidth
  std::int64_t overhead_per_byte_fs = 0;     ///< O, in femtoseconds
  std::int64_t largest_eager_message_bytes =
      65'535;  ///< S: a larger message holds its sender until a receive has matched it

  /// None below 0, none beyond 6 days (per byte: 9 minutes).
  [[nodiscard]] Status check() const;

  /// How long the bytes behind the first take at `per_byte_fs`, rounded down to picoseconds; at most kMaxWeightPs. 0
  /// for up to one byte.
  [[nodiscard]] static TimePs of_bytes(std::int64_t bytes, std::int64_t per_byte_fs);
};

}  // namespace orrery::simulate::loggops
