// The critical path as pieces of time on ranks and lanes: what a timeline draws of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "causal/edge_kind.h"
#include "job/recorded_job.h"
#include "trace/trace.h"

namespace orrery::job {

struct PathPiece {
  std::uint32_t rank = 0;  ///< place in Trace::ranks
  TimePs begin = 0, end = 0;
  causal::EdgeKind kind{};
  std::string name = {};                        ///< of its event; empty: time that belongs to none
  std::optional<trace::EventIndex> event = {};  ///< of that rank
};

/// Those that take time, in order; each begins where the one before ended. Of a typical step of the trace's first rank,
/// or, with `job`, of all ranks.
Result<std::vector<PathPiece>> find_path_pieces(const trace::Trace& trace, const RecordedJob* job,
                                                Diagnostics& diagnostics);

}  // namespace orrery::job
