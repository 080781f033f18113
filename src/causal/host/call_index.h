// Finds the runtime call that a correlation id stands for.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/content_order.h"
#include "trace/trace.h"

namespace orrery::causal {

inline constexpr trace::EventIndex kNoEvent = ~trace::EventIndex{0};

/// Runtime calls by correlation id; where several share one (a driver call inside a runtime call), the last to begin,
/// which is the innermost.
class CallIndex {
 public:
  CallIndex(const trace::RankTrace& rank, const trace::ContentOrder& content);
  [[nodiscard]] trace::EventIndex find(std::int64_t correlation) const;

 private:
  struct Entry {
    std::int64_t correlation;
    trace::EventIndex event;
  };
  std::vector<Entry> entries_;
};

}  // namespace orrery::causal
