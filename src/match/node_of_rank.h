// Where a trace has the rank of a number.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace orrery::match {

/// Places of ranks in the trace by their numbers.
class NodeOfRank {
 public:
  explicit NodeOfRank(const trace::Trace& trace);
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  /// kNone: it has no trace here. O(log ranks).
  [[nodiscard]] std::uint32_t find(std::int64_t rank) const;

 private:
  std::vector<std::pair<std::int64_t, std::uint32_t>> places_;
};

}  // namespace orrery::match
