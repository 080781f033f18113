// What the files that show a recorded job have in common: how lanes are called there, and which launch leads to which
// work.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/perfetto/writer.h"
#include "trace/trace.h"

namespace orrery::job {

/// Numbers of processes and threads, which run on over the ranks so that no two share one.
struct LaneNumbers {
  std::int64_t next_process = 1;
  std::int64_t next_thread = 1;
};

/// One per lane; processes are called after their rank or node.
std::vector<perfetto::LaneLabel> label_lanes(const trace::Trace& trace, const trace::RankTrace& rank,
                                             LaneNumbers& numbers);

struct LaunchArrow {
  trace::EventIndex call = 0;
  trace::EventIndex work = 0;
};

/// From the call to each piece of work with its correlation id, in the order of the work; of calls with the same id the
/// first counts.
std::vector<LaunchArrow> launch_arrows(const trace::RankTrace& rank);

}  // namespace orrery::job
