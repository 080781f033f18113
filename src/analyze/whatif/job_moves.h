// What another order of the same work would give: the bounds if order did not matter, and the best single moves.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"
#include "causal/causal_graph.h"
#include "causal/program/tensor_reads.h"

namespace orrery::analyze {

enum class MoveKind : std::uint8_t {
  launch_earlier,  ///< a communication is asked for right behind the launch of its last producer
  own_stream,      ///< a kernel no longer waits for its stream, nor the stream for it
};
const char* to_string(MoveKind move);

/// On all ranks and in all steps alike.
struct ReorderMove {
  MoveKind move{};
  StringId name = 0;      ///< of what is moved
  StringId what = 0;      ///< of a communication with partners: JobOperation::what; 0: a kernel
  std::size_t count = 0;  ///< pieces of work that it moves
  TimePs gain = 0;        ///< what the job takes less
};

struct Reorder {
  TimePs data_bound = 0;  ///< device work starts when what it reads was written, Exchanges when those needed are ready;
                          ///< nothing else takes time
  TimePs device_bound = 0;         ///< the larger of that and the time in which the busiest device runs a kernel
  std::vector<ReorderMove> moves;  ///< that shorten the job, the best first; ties: by kind and name
};

/// Each move is solved by itself. A communication keeps the order of its stream, the works whose results it reads, and
/// a delay of launch; a kernel on its own stream keeps those works and its launch. Work whose reads are not known is
/// not moved, and waits for all that ran before it on its stream.
Result<Reorder> find_reorder(const causal::CausalGraph& job, std::span<const causal::RankTensors> tensors,
                             std::size_t top);

}  // namespace orrery::analyze
