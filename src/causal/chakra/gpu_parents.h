// Under which operator device work was launched, as chakra_trace_link decides it.
#pragma once

#include "base/column.h"
#include "base/diagnostics.h"
#include "causal/chakra/device_trace.h"

namespace orrery::causal::chakra {

/// Device work by the external id of the operator it was launched under, and within one in the order of time. Operators
/// without an external id count as one (kNoExternalId).
struct WorkByExternalId {
  Column<std::int64_t> external_id;  ///< sorted
  Column<std::uint32_t> work;        ///< into DeviceWork

  struct Range {
    std::size_t begin, end;
  };
  [[nodiscard]] Range find(std::int64_t id) const;  ///< O(log n)
};

/// The operator is the last one before the launch, on its thread, with the external id of the work; failing that, the
/// last one on its thread. For communication, "nccl:coalesced" is passed over. Work without a launch or an operator is
/// counted and left out. O(n log n).
WorkByExternalId find_gpu_parents(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceTrace& device,
                                  Diagnostics& diagnostics);

}  // namespace orrery::causal::chakra
