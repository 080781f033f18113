// The rows of a host trace and the device work under them, found again in a Chakra file that was made from them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/interner.h"
#include "base/result.h"
#include "base/units.h"
#include "causal/edge_kind.h"
#include "trace/host_trace.h"

namespace orrery::replay::torch {

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

}  // namespace orrery::replay::torch
