// Which operator each host event and each piece of device work belongs to.
#pragma once

#include "base/column.h"
#include "causal/device/device_timeline.h"

namespace orrery::causal {

struct OperatorIndex {
  /// Per event. Of a host event: the innermost operator around it on its lane, itself left out. Of device work: the
  /// operator that launched it, which is the one around its call, or where the call was not recorded (or lies in none)
  /// the one that shares its External id. Of others, and where there is none: kNoEvent. Outside of operators an
  /// annotation serves as one, profiler steps excepted.
  Column<trace::EventIndex> operator_of;
  std::size_t device_works = 0;
  std::size_t attributed = 0;  ///< of these, with an operator
};

/// O(events log events).
OperatorIndex make_operator_index(const trace::Trace& trace, const trace::RankTrace& rank);

}  // namespace orrery::causal
