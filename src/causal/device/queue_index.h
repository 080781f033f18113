// Which stream of which device an event belongs to.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace orrery::causal {

/// A stream of a device. Stream numbers of different devices are different queues.
struct Queue {
  std::int64_t device = 0;
  std::int64_t stream = 0;
  auto operator<=>(const Queue&) const = default;
};

class QueueIndex {
 public:
  /// O(lanes log lanes).
  QueueIndex(const trace::Trace& trace, const trace::RankTrace& rank);

  /// From the event's own arguments, else from its lane. A lane whose process or thread is a text ("stream 7") gets a
  /// number of its own, below -1, by the order of the texts.
  [[nodiscard]] Queue of(trace::EventIndex event) const;

 private:
  const trace::RankTrace& rank_;
  std::vector<Queue> of_lane_;
};

}  // namespace orrery::causal
