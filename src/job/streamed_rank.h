// One rank of a job that is read rank by rank (streamed_job.h): read, linked and reduced to what joining needs, here or
// by another process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "base/team/process_team.h"
#include "causal/join/join_ranks.h"
#include "causal/reduce/reduced_rank.h"
#include "formats/format.h"
#include "job/read/counters_input.h"
#include "job/recorded_job.h"
#include "trace/clock.h"

namespace orrery::job {

/// How a rank is to be read the second time, when all are known.
struct RankCorrections {
  struct Clocks {
    trace::Clock host, tracer;
    std::int64_t epoch_unix_ns = 0;  ///< that their times count from
  };
  std::optional<Clocks> clock;                    ///< none: as recorded
  std::optional<std::vector<std::string>> steps;  ///< none: all that it has, within the instances asked for
};

struct StreamedRankRequest {
  std::string path;
  std::int64_t rank = 0;
  RankCorrections corrections;
};

/// What is the same for all ranks.
struct RankStreaming {
  const formats::Format& format;
  bool salvage = false;
  const JobWindowRequest& window;
  const causal::JoinOptions& options;
  causal::Reduction reduction = causal::Reduction::reduced;
  std::shared_ptr<const trace::Rules> rules = nullptr;  ///< how names are read
  CounterFiles counters = {};
};

struct StreamedRank {
  causal::WaitingRank reduced;
  std::vector<std::string> keys;   ///< of all its steps
  std::vector<std::string> taken;  ///< of those in its window
  /// Of all its steps, if they are compared (see JobWindowRequest), else empty. They count from `epoch_unix_ns`.
  std::vector<std::pair<TimePs, TimePs>> extents;
  std::int64_t epoch_unix_ns = 0;
  Diagnostics remarks;
  std::optional<Error> error;
};

/// As `requests`. At most two are in the memory of a process at once.
/// `before_reading` is told the file of each, one after the other and in this order; an Error of it is the answer.
/// Where ranks are read here that is just before the file is: whoever looks through it finds it read from the disk once
/// for both.
Result<std::vector<StreamedRank>> read_streamed_ranks(
    const RankStreaming& streaming, std::span<const StreamedRankRequest> requests,
    const std::function<Status(const std::string& path)>& before_reading,
    const std::function<void(std::uint64_t bytes)>& on_progress);

/// What other processes of a team do of it.
SharedTaskKind rank_streaming_task();

}  // namespace orrery::job
