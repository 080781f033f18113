// A rank from a Chakra file that was made from a host trace and a profiler trace.
#pragma once

#include "replay/torch/source/chakra_rows.h"
#include "replay/torch/source/rank_source.h"
#include "workload/workload.h"

namespace orrery::replay::torch {

/// `workload` was read from the same files: it has the members of groups. `strings` is the table of `rows` and must outlive the result.
RankSource source_of_chakra(const ChakraRows& rows, const Interner& strings, std::int64_t rank, std::int64_t world_size,
                            const workload::Workload& workload);

}  // namespace orrery::replay::torch
