// A rank from a Chakra file that was made from a host trace and a profiler trace.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/interner.h"
#include "base/result.h"
#include "base/units.h"
#include "causal/edge_kind.h"
#include "replay/torch/source/rank_source.h"
#include "trace/host_trace.h"
#include "workload/workload.h"

namespace orrery::replay::torch {

// The rows of a host trace and the device work under them, found again in a Chakra file that was made from them.

struct ChakraRows {
  struct Work {
    std::uint32_t row;  ///< of the operator that launched it
    StringId name;
    std::int64_t stream;
    TimePs duration;
    causal::EdgeKind kind;  ///< kernel, memory_copy or memory_set
  };
  struct GroupUse {
    std::uint32_t row;  ///< that communicates
    StringId group;
  };
  std::shared_ptr<const trace::HostTrace> host;  ///< rows by their record-function ids, which are their ids
  std::vector<TimePs> begin, end;                ///< per row
  std::vector<Work> works;                       ///< in the order of the file
  std::vector<GroupUse> groups;
  bool has_schemas = false;  ///< of operators: otherwise nothing can be called
};

/// Texts go to `strings`. An Error names the file and the byte. A file in the feeder's JSON has none of it.
Result<ChakraRows> read_chakra_rows(const std::string& path, Interner& strings);

/// `workload` was read from the same files: it has the members of groups. `strings` is the table of `rows` and must
/// outlive the result.
RankSource source_of_chakra(const ChakraRows& rows, const Interner& strings, std::int64_t rank, std::int64_t world_size,
                            const workload::Workload& workload);

}  // namespace orrery::replay::torch
