// A trace and its ranks as Python sees them.
#pragma once

#include <cstddef>
#include <memory>

#include "cli/frame/hosting.h"

namespace orrery::python {

/// Shared by all that was taken from it: the last view keeps it alive.
struct TraceHandle {
  std::shared_ptr<const ask::OpenedTrace> opened;

  [[nodiscard]] const trace::Trace& job() const { return opened->trace; }
};

struct RankHandle {
  std::shared_ptr<const ask::OpenedTrace> opened;
  std::size_t place = 0;  ///< in Trace::ranks

  [[nodiscard]] const trace::Trace& job() const { return opened->trace; }
  [[nodiscard]] const trace::RankTrace& rank() const { return opened->trace.ranks[place]; }
};

}  // namespace orrery::python
