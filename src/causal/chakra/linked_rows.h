// The rows of a linked trace: those of the host trace with new ids and times, each followed by the device work launched
// under it.
#pragma once

#include <vector>

#include "base/result.h"
#include "causal/chakra/device_trace.h"
#include "causal/chakra/gpu_parents.h"
#include "causal/chakra/host_match.h"
#include "causal/chakra/sync_targets.h"
#include "trace/host_trace.h"

namespace orrery::causal::chakra {

struct LinkParts {
  const DeviceTrace& device;
  const Column<double>& exclusive;  ///< per host operator
  const WorkByExternalId& work_under;
  const HostMatch& match;
  const std::vector<SyncTarget>& sync_targets;
};

/// Rows are numbered from 0 by old id, device work after its operator. A parent that does not exist gets a number
/// beyond all rows. O(n).
Result<trace::HostTrace> make_linked_rows(trace::HostTrace host, const trace::RankTrace& rank, Interner& strings,
                                          const LinkParts& parts);

}  // namespace orrery::causal::chakra
