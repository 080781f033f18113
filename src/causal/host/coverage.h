// How much of a host trace was found in the profiler's.
#pragma once

#include <cstddef>
#include <cstdint>

namespace orrery::causal {

inline constexpr std::uint32_t kNoRow = ~std::uint32_t{0};

/// How much of the two traces was brought together, and by which rule.
struct Coverage {
  std::size_t host_rows = 0;           ///< operators of the host trace that the profiler should know
  std::size_t by_record_function = 0;  ///< of these, found by record-function id,
  std::size_t by_external_id = 0;      ///< by External id,
  std::size_t by_name_and_order = 0;   ///< by name and order within their thread
  std::size_t device_works = 0;        ///< kernels, copies and fills
  std::size_t attributed = 0;          ///< of these, with a known operator
};

}  // namespace orrery::causal
