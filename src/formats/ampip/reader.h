// Reads A-mpiP traces (mpiP with tracing), both spellings, plain or compressed, with the report beside them:
// docs/formats/ampip.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "match/mpi/mpi_rank.h"
#include "trace/trace.h"

namespace orrery::ampip {

struct ReadOptions {
  bool salvage = false;  ///< a damaged trace is read up to the damage, with a warning, instead of being refused
  std::optional<std::string> report =
      {};  ///< path of the report; none: the one beside the first trace, if there is one; "": without
  std::function<void(std::uint64_t bytes)> on_progress = {};  ///< called from any thread
};

/// One file per rank: docs/formats/mpi.md has the shape of the result. Ranks are numbered by the names of the files
/// (trace_3, trace_3.gz); if none has a number, by their place. Every rank begins at time 0, when its MPI_Init ended:
/// ranks have no common clock.
Result<trace::Trace> read_job(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                              const ReadOptions& options = {});

/// The records of one rank, without the report: every call is a moment at time 0, its Field::recorded_delta is set (but
/// of the first, which is not meaningful). An Error says where the text is no record. For read_job and for fuzzing.
Status parse_rank(std::string_view text, const std::string& path, std::int64_t number, match::MpiRank& rank,
                  Diagnostics& diagnostics);

/// "trace_12.gz" -> 12
std::optional<std::int64_t> rank_in_name(std::string_view file_name);

/// Whether a text begins as one of the two spellings do.
bool is_trace(std::string_view text);

/// Files in the folder of a trace that are reports of mpiP, by name.
std::vector<std::string> reports_beside(const std::string& trace_path);

}  // namespace orrery::ampip
