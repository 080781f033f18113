// Which device work reads what which other wrote: all that would order the work of a rank if nothing else did.
#pragma once

#include <cstdint>
#include <vector>

#include "causal/host/host_match.h"
#include "causal/host/operator_index.h"
#include "trace/host_arguments.h"
#include "trace/trace.h"

namespace orrery::causal {

/// Events are told by their position in the file's event list (Owner::ordinal), so that the trace is not needed beside
/// it.
struct RankTensors {
  struct Read {
    std::uint32_t writer;
    std::uint32_t reader;
    friend auto operator<=>(const Read&, const Read&) = default;
  };
  std::int64_t rank = 0;
  std::vector<Read> reads;  ///< by reader, then writer; each once
  std::vector<std::uint32_t>
      known;  ///< device work whose operator's tensors were recorded: nothing else is read by it. Ascending
};

/// From the last device work of the operator that wrote a storage to the first of one that reads it; and from each work
/// of an operator to its next, since what passes between these is nobody's tensor. Unlike tensor_dependencies.h, none
/// is left out because another comes later on the same stream. O(tensors + works log works).
RankTensors find_tensor_reads(const trace::RankTrace& rank, const HostMatch& match, const OperatorIndex& operators,
                              const trace::HostArguments& arguments);

}  // namespace orrery::causal
