// Device works that communicate though nothing but their names says so, read by rules (trace/names/rules.h): kernels of
// DeepEP, of serving engines, of symmetric memory.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace orrery::match {

struct RuledWork {
  trace::EventIndex event = 0;
  std::uint32_t rule = 0;        ///< place in trace::Rules::communication
  std::uint32_t group_size = 0;  ///< 0: the name does not say
};

/// In order of `event`: kernels with a duration of which no collective is recorded and whose rule, one that asks for no
/// operator, says that they move data or wait for others. O(events), each name looked at once.
std::vector<RuledWork> find_ruled_works(const trace::Trace& trace, const trace::RankTrace& rank);

}  // namespace orrery::match
