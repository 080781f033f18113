// Which files are the ranks of one job, and which are runs that lie side by side.
//
// A rank is what a file says it is: its distributedInfo, or "rank" with a number in its name. Every other number is
// something else: the process in TensorBoard's HOST_PID.TIME.pt.trace.json, a precision (bf16), a batch (batch4), a
// host (tw003).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/read_rank.h"

namespace orrery::trace {

/// What is known of one file's place in a job before the others are looked at.
struct ToldRank {
  std::optional<std::int64_t> rank;  ///< what it says of itself; else what its name says; none: neither does
  std::string host;                  ///< on which it was recorded; empty: not known
};

enum class Numbering : std::uint8_t {
  told,   ///< each file is the rank that it says
  place,  ///< none says, but they communicate: ranks in the order of the files
  runs,   ///< recordings that have nothing to do with one another
};

/// Numbers the ranks that were read from `paths`, and marks runs (SourceInfo::is_run). Files are
///   - ranks, as told, if each tells and not all tell the same;
///   - ranks by their place if none tells, all communicate, and no two of one host, which is one clock, lie apart in
///   time;
///   - runs by their place otherwise: recordings of one process (also those that say they are a world of one), or all
///   of one rank.
/// One file alone keeps the number it was read with. An Error names a file that does not tell among some that do.
Result<Numbering> number_ranks(const std::vector<std::string>& paths, const std::vector<ToldRank>& told,
                               std::vector<ReadRank>& ranks);

/// Adds a run to those that are there; one that is so far away in time that the job's epoch does not fit begins with
/// them.
bool add_run(Trace& trace, RankTrace&& run, const Interner& strings);

// Ranks in the names of files. Each recorder has its own way to put them there, and each way is here; what packed a
// file (.gz, .zst) never counts.

/// Profilers: the number behind "rank", in any case, where that is a word of its own: 12 for "ddp.rank12.json.gz", 3
/// for "trace_RANK-3.json".
std::optional<std::int64_t> rank_in_name(std::string_view path);

/// XLA's profiles: the number at the end, behind a word that says so: 3 for "node3.xplane.pb", 0 for
/// "t1v-n-9bfa07b4-w-0.xplane.pb.gz"; none for "10.0.0.7_6003.xplane.pb", "tw003.xplane.pb" and "gpu1.xplane.pb".
std::optional<std::int64_t> node_in_name(std::string_view path);

/// Recorders of MPI calls: the digits at the end, without `ending`: 12 for "trace_12.gz", 3 for
/// "pmpi-trace-rank-3.txt". `name` has no folders.
std::optional<std::int64_t> rank_at_end(std::string_view name, std::string_view ending = {});

/// Programs for ASTRA-sim: "et/step" and 3 for "et/step.3.et", 7 for "step.7.json.gz".
struct ProgramName {
  std::string_view prefix;
  std::size_t rank = 0;
};
std::optional<ProgramName> program_name(std::string_view path);

}  // namespace orrery::trace
